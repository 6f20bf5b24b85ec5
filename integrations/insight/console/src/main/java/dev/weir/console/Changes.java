package dev.weir.console;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Rejection;
import dev.weir.Ticker;
import dev.weir.algorithms.SlidingLog;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.named.status.LimitOverride;
import dev.weir.named.status.LimitStatus;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.spi.Registration;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The changes that are made by a console: overrides of the registry, each for the revision that its author has seen, and what was in force
 * before each, to undo it. Thread-safe.
 */
final class Changes {
    private static final Logger LOG = System.getLogger(Changes.class.getName());
    private static final int A_MINUTE = 10;
    private static final int MOST_UNDONE = 20;
    private static final int MOST_CHARS = 1_000;
    private static final int MOST_LOGGED = 4_000;
    private static final Pattern CONTROL = Pattern.compile("\\p{C}");
    private static final long MOST_SECONDS = TimeUnit.DAYS.toSeconds(366);

    /** That of an override without an end; a restart ends it. */
    static final Duration KEPT = Duration.ofDays(36_500);

    private final LimiterRegistry registry;
    private final InstantSource clock;
    private final ManagedLimiter pace;

    @GuardedBy("this")
    private final Map<String, Deque<Change>> made = new HashMap<>();

    /** A change that may be undone by its end, with the revision at which it was in force first. */
    private record Change(Registration end, LimitOverride given, long revision) {}

    Changes(LimiterRegistry registry, Ticker ticker, InstantSource clock) {
        this.registry = registry;
        this.clock = clock;
        pace = Limiters.builder("changes of a console", new SlidingLog(A_MINUTE, Duration.ofMinutes(1)))
                .ticker(ticker)
                .build();
    }

    /** The answer to one that comes too soon after others; null = it does not. */
    @Nullable
    Answer tooSoon() {
        return pace.tryAcquire() instanceof Rejection rejection
                ? Answer.tooMany("changes must be at most " + A_MINUTE + " a minute", rejection)
                : null;
    }

    /** Puts an override in force. Throws if the fields or the settings are wrong, or the limit has changed since it was looked at. */
    void override(String name, PostedFields fields, String who) {
        String patch = fields.entry("patch");
        Long seconds = fields.number("seconds", 1);
        String why = fields.line("why", MOST_CHARS);
        long revision = fields.needed("revision");
        if (seconds != null && seconds > MOST_SECONDS) {
            throw new IllegalArgumentException("seconds must be <= " + MOST_SECONDS + ", was " + seconds);
        }
        LimitOverride before = seen(name, revision).override();
        Registration end = registry.override(
                name, patch, seconds == null ? KEPT : Duration.ofSeconds(seconds), who, why, revision);
        remember(name, new Made(end, who, why, revision + 1), before);
        log("changes", name, who, patch + (seconds == null ? "" : " for " + seconds + " s"), why);
    }

    /**
     * Undoes the last change of this console. The change of this console that it replaced is put in force again for the rest of its
     * time; without one, what the document or the code wants is in force. Throws if there is no such change, it has ended, or the limit
     * has changed since it was looked at.
     */
    void undo(String name, PostedFields fields, String who) {
        LimitStatus now = seen(name, fields.needed("revision"));
        Deque<Change> changes = inForce(name, now.override());
        Change last = changes.pollLast();
        if (last == null) {
            throw new IllegalArgumentException(
                    "the last change of " + name + " by this console must be in force, and it is not");
        }
        Change before = changes.pollLast();
        Duration left = before == null ? Duration.ZERO : Duration.between(clock.instant(), before.given.until());
        if (before == null || left.isNegative() || left.isZero()) {
            end(name, last, now.revision());
        } else {
            LimitOverride again = before.given;
            String why = EventText.cut("back to the change of " + again.who() + ": " + again.why(), MOST_CHARS);
            Registration end = registry.override(name, PatchText.json(again.patch()), left, who, why, now.revision());
            forget(name, last);
            forget(name, before);
            remember(
                    name,
                    new Made(end, who, why, now.revision() + 1),
                    changes.isEmpty() ? null : changes.getLast().given);
        }
        log("undoes a change of", name, who, last.given.patch().toString(), last.given.why());
    }

    private void end(String name, Change last, long revision) {
        last.end.close();
        LimitStatus after = registry.limiter(name).status();
        LimitOverride other = after.override();
        if (other != null && !isSame(last.given, other)) {
            throw new RevisionChangedException(name, revision, after.revision());
        }
        forget(name, last);
    }

    private synchronized void forget(String name, Change change) {
        Deque<Change> changes = made.get(name);
        if (changes != null && changes.remove(change) && changes.isEmpty()) {
            made.remove(name);
        }
    }

    /** An override that was put in force, and the revision that it made. */
    private record Made(Registration end, String who, String why, long revision) {}

    /*
     * What is read after a change is that change if it has its revision and its author: a status is not read at one instant, and may have
     * the override of somebody who came next. Then the change cannot be undone here. Revisions also tell which of two threads that
     * come here was the first.
     */
    private void remember(String name, Made own, @Nullable LimitOverride before) {
        LimitStatus status = registry.limiter(name).status();
        LimitOverride given = status.override();
        if (given == null
                || status.revision() != own.revision
                || !given.who().equals(own.who)
                || !given.why().equals(own.why)) {
            return;
        }
        List<Change> replaced = new ArrayList<>();
        synchronized (this) {
            Deque<Change> changes = made.computeIfAbsent(name, added -> new ArrayDeque<>());
            Change last = changes.peekLast();
            if (last != null && last.revision > own.revision) {
                return;
            }
            replaced.addAll(changes);
            if (last != null && (before == null || !isSame(last.given, before))) {
                changes.clear();
            }
            changes.addLast(new Change(own.end, given, own.revision));
            if (changes.size() > MOST_UNDONE) {
                changes.removeFirst();
            }
        }
        // They are not in force, and wait for their ends no more.
        replaced.forEach(each -> each.end.close());
    }

    /** True while the last change of this console to the name is in force. */
    boolean isUndoable(LimitStatus status) {
        return !inForce(status.name(), status.override()).isEmpty();
    }

    /* The changes of which the last is this one; none if somebody else has changed the name since. */
    private synchronized Deque<Change> inForce(String name, @Nullable LimitOverride override) {
        Deque<Change> changes = made.getOrDefault(name, new ArrayDeque<>());
        Change last = changes.peekLast();
        return last != null && override != null && isSame(last.given, override)
                ? new ArrayDeque<>(changes)
                : new ArrayDeque<>();
    }

    private LimitStatus seen(String name, long revision) {
        LimitStatus status = registry.limiter(name).status();
        if (status.revision() != revision) {
            throw new RevisionChangedException(name, revision, status.revision());
        }
        return status;
    }

    private static boolean isSame(LimitOverride one, LimitOverride other) {
        return one.since().equals(other.since())
                && one.until().equals(other.until())
                && one.who().equals(other.who())
                && one.patch().equals(other.patch());
    }

    /* One line for each change, whatever its texts are. */
    private static void log(String does, String name, String who, String what, String why) {
        String line = who + " " + does + " " + name + ": " + what + ": " + why;
        LOG.log(
                Level.INFO,
                "{0}",
                CONTROL.matcher(EventText.cut(line, MOST_LOGGED)).replaceAll("?"));
    }
}
