package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.LimitOverride;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One random history of a limit with documents, overrides and kills of the process, beside a model of it. After each step the limit
 * is compared from outside: what the override in force made of the document, or else what the document says.
 */
final class OverrideHistory {
    private static final int STEPS = 20;
    private static final int DECLARED = 50;
    private static final int LONGEST_SECONDS = 60;
    private static final Pattern NUMBER = Pattern.compile("number: (\\d+)");

    /** What a twin does wrong. */
    enum Flaw {
        NONE,
        /** An end far ahead never comes. */
        LOSES_ENDS,
        /** An undo sets the limit that was in force before, in place of ending what is over the document. */
        UNDOES_BY_VALUE,
        /** A change is made whatever its giver has seen. */
        IGNORES_REVISIONS,
        /** What was set by hand is set again after a restart. */
        OUTLIVES_THE_PROCESS
    }

    /** Fields of a limit, as a document or a patch has them. */
    private record Fields(
            @Nullable Integer concurrency,
            @Nullable Integer rate,
            @Nullable Integer burst,
            boolean isQueued) {
        /** A limit of a document; those of overrides are others. */
        static Fields any(SplittableRandom random) {
            int limit = 1 + random.nextInt(20);
            boolean isQueued = random.nextInt(4) == 0;
            return switch (random.nextInt(3)) {
                case 0 -> new Fields(null, limit, null, isQueued);
                case 1 -> new Fields(null, limit, limit + 1 + random.nextInt(9), isQueued);
                default -> new Fields(limit, null, null, isQueued);
            };
        }

        static Fields patch(SplittableRandom random) {
            int limit = 51 + random.nextInt(20);
            return switch (random.nextInt(6)) {
                case 0 -> new Fields(null, limit, null, false);
                case 1, 2 -> new Fields(null, null, limit, false);
                case 3 -> new Fields(null, null, null, true);
                default -> new Fields(limit, null, null, false);
            };
        }

        /** This one over another, which is null for the default of the code; null = it does not fit. */
        @Nullable
        Fields over(@Nullable Fields base) {
            boolean isWhole = concurrency != null || rate != null;
            if (!isWhole && (base == null || (burst != null && base.rate == null))) {
                return null;
            }
            Fields below = base == null ? new Fields(null, null, null, false) : base;
            Integer shown = burst != null ? burst : below.rate == null ? null : below.burst;
            boolean waits = isQueued || below.isQueued;
            return concurrency != null
                    ? new Fields(concurrency, null, null, waits)
                    : new Fields(null, rate != null ? rate : below.rate, shown, waits).orConcurrency(below);
        }

        private Fields orConcurrency(Fields below) {
            return rate != null ? this : new Fields(below.concurrency, null, null, isQueued);
        }

        StrategySpec spec() {
            if (rate == null) {
                return new Semaphore(Objects.requireNonNull(concurrency));
            }
            TokenBucket bucket = TokenBucket.of(rate, Duration.ofSeconds(1));
            return burst == null ? bucket : bucket.withCapacity(burst);
        }

        String text() {
            List<String> fields = new ArrayList<>();
            if (concurrency != null) {
                fields.add("concurrency: " + concurrency);
            }
            if (rate != null) {
                fields.add("rate: " + rate + "/s");
            }
            if (burst != null) {
                fields.add("burst: " + burst);
            }
            if (isQueued) {
                fields.add("queue: { capacity: 5 }");
            }
            return "{ " + String.join(", ", fields) + " }";
        }
    }

    /**
     * What is set by hand.
     *
     * @param made the settings in force by it
     * @param problem whether it does not fit the document of now
     */
    private record Hand(Fields patch, Fields made, boolean problem, long end, Registration given) {
        Hand over(@Nullable Fields document) {
            Fields next = patch.over(document);
            return new Hand(patch, next == null ? made : next, next == null, end, given);
        }
    }

    /** A revision that somebody has seen, of a process after so many changes. */
    private record Seen(long revision, int process, int changes) {}

    private final SplittableRandom random;
    private final Flaw flaw;
    private final Map<String, Integer> met;
    private final @Nullable Path lastGood;
    private final boolean isDeclared;
    private final VirtualTime time = new VirtualTime();
    private final MemorySource source = new MemorySource();
    private final List<String> said = new ArrayList<>();

    /* What each document said, by its number; null = nothing of the name. */
    private final List<@Nullable Fields> documents = new ArrayList<>();
    private final List<Seen> seen = new ArrayList<>();
    private final List<Registration> overrides = new ArrayList<>();
    /* Those of the source and of the process; null = rubbish, or nothing but the default of the code. */
    private @Nullable Integer offered;
    private @Nullable Fields document;
    private @Nullable Hand hand;
    private boolean isAway;
    private int process;
    private int changes;

    private LimiterRegistry registry;
    private AtomicBoolean isAlive = new AtomicBoolean();

    /**
     * A history that has not begun.
     *
     * @param met counts what happened
     * @param lastGood where the last good document is kept; null = nowhere
     */
    OverrideHistory(SplittableRandom random, Flaw flaw, Map<String, Integer> met, @Nullable Path lastGood) {
        this.random = random;
        this.flaw = flaw;
        this.met = met;
        this.lastGood = lastGood;
        isDeclared = random.nextBoolean();
        document = Fields.any(random);
        written(document);
        registry = started();
    }

    /**
     * Runs it, with no override at its end.
     *
     * @throws AssertionError where the limit is another one than in the model; the message has the steps until then
     */
    void run() {
        met("history");
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> override();
                case 4 -> end(overrides.isEmpty() ? null : overrides.get(random.nextInt(overrides.size())));
                case 5 -> end(hand == null ? null : hand.given);
                case 6, 7 -> document();
                case 8, 9 -> advance(Duration.ofMillis(500L * random.nextInt(80)));
                case 10 -> kill();
                default -> source();
            }
            compare();
        }
        advance(Duration.ofSeconds(LONGEST_SECONDS));
        compare();
        assertNull(registry.limiter("a").status().override(), said::toString);
        registry.close();
    }

    private void met(String what) {
        met.merge(what, 1, Integer::sum);
    }

    /* From outside: by the limiter, not by what the registry says of its settings. */
    private void compare() {
        NamedLimiter limiter = registry.limiter("a");
        StrategySpec wanted =
                hand != null ? hand.made.spec() : document == null ? new Semaphore(DECLARED) : document.spec();
        assertEquals(wanted, limiter.snapshot().spec(), said::toString);
        assertEquals(
                Limiters.of("model", wanted).snapshot().limit(),
                limiter.snapshot().limit(),
                said::toString);
        LimitOverride told = limiter.status().override();
        assertEquals(hand != null, told != null, said::toString);
        if (told != null) {
            assertEquals(Objects.requireNonNull(hand).problem, !told.problem().isEmpty(), said::toString);
        }
        seen.add(new Seen(limiter.status().revision(), process, changes));
    }

    // ---- Documents ----

    private void written(@Nullable Fields next) {
        offered = documents.size();
        documents.add(next);
        String limit = next == null ? "{}" : "{ a: " + next.text() + " }";
        String removed = next == null && random.nextBoolean() ? ", removed: [a]" : "";
        String text = "{ values: { number: " + offered + " }, limits: " + limit + removed + " }";
        said.add((isAway ? "unseen " : "") + "document " + text);
        source.write(text);
    }

    private void document() {
        if (random.nextInt(6) == 0) {
            said.add("rubbish");
            offered = null;
            source.write("limits: rubbish");
        } else {
            written(isDeclared && random.nextInt(5) == 0 ? null : Fields.any(random));
        }
        arrive();
    }

    /* The source goes away, or comes back with what was written meanwhile. */
    private void source() {
        isAway = !isAway;
        said.add(isAway ? "away" : "back");
        if (isAway) {
            source.goAway();
        } else {
            source.comeBack();
        }
        arrive();
    }

    private void arrive() {
        if (!isAway && offered != null) {
            follow(documents.get(offered));
        }
        advance(Duration.ofSeconds(2));
    }

    private void follow(@Nullable Fields next) {
        if (!Objects.equals(document, next)) {
            changes++;
            document = next;
            if (hand != null) {
                hand = hand.over(next);
                met(hand.problem ? "document that an override does not fit" : "document below an override");
            }
        }
    }

    private void advance(Duration span) {
        said.add("+" + span);
        time.advance(span);
        if (hand != null && hand.end <= time.read()) {
            met("override that ended");
            hand = null;
            changes++;
        }
    }

    // ---- By hand ----

    private void override() {
        Fields patch = Fields.patch(random);
        Fields made = patch.over(document);
        Duration duration = Duration.ofSeconds(1 + random.nextInt(LONGEST_SECONDS));
        Seen meant = random.nextInt(3) == 0 ? null : seen(random.nextInt(3));
        boolean isOld = meant != null && (meant.process != process || meant.changes != changes);
        said.add("override " + patch.text() + " for " + duration + (meant == null ? "" : isOld ? ", late" : ", seen"));
        if (isOld && flaw != Flaw.IGNORES_REVISIONS) {
            assertThrows(RevisionChangedException.class, () -> put(patch, duration, meant), said::toString);
            met("override for a revision of before");
        } else if (made == null) {
            assertThrows(IllegalArgumentException.class, () -> put(patch, duration, meant), said::toString);
        } else {
            Registration given = put(patch, duration, meant);
            overrides.add(given);
            if (!isOld) {
                met(hand == null ? "override" : "override that replaces one");
                changes++;
                hand = new Hand(patch, made, false, time.read() + duration.toNanos(), given);
            }
        }
    }

    /* The newest one, or any. */
    private @Nullable Seen seen(int choice) {
        return seen.isEmpty() ? null : seen.get(choice > 0 ? seen.size() - 1 : random.nextInt(seen.size()));
    }

    private Registration put(Fields patch, Duration duration, @Nullable Seen meant) {
        return meant == null || flaw == Flaw.IGNORES_REVISIONS
                ? registry.override("a", patch.text(), duration, "ann", "test")
                : registry.override("a", patch.text(), duration, "ann", "test", meant.revision);
    }

    private void end(@Nullable Registration given) {
        if (given == null) {
            return;
        }
        said.add("end " + overrides.indexOf(given));
        if (hand != null && hand.given == given) {
            met("override that was undone");
            hand = null;
            changes++;
        }
        if (flaw == Flaw.UNDOES_BY_VALUE) {
            Fields before = document == null ? new Fields(DECLARED, null, null, false) : document;
            Registration unused = registry.override("a", before.text(), Duration.ofHours(1), "ann", "undo");
        } else {
            given.close();
        }
    }

    // ---- Processes ----

    /* In some histories between a document and all that follows from it. */
    private void kill() {
        boolean isWritingFirst = random.nextInt(4) == 0;
        if (isWritingFirst) {
            written(Fields.any(random));
        }
        isAlive.set(false);
        boolean isStarting = lastGood != null || isDeclared || (!isAway && offered != null);
        if (!isStarting) {
            written(Fields.any(random));
            isAway = false;
            source.comeBack();
        }
        said.add("killed");
        met(hand == null ? "kill" : "kill with an override");
        Hand lost = hand;
        hand = null;
        overrides.clear();
        process++;
        changes = 0;
        document = !isAway && offered != null ? documents.get(offered) : kept();
        if (document == null && !isDeclared) {
            isAway = false;
            source.comeBack();
            written(Fields.any(random));
            document = documents.get(documents.size() - 1);
        }
        registry = started();
        if (lost != null && flaw == Flaw.OUTLIVES_THE_PROCESS) {
            Registration unused =
                    registry.override("a", lost.made.text(), Duration.ofSeconds(LONGEST_SECONDS), "ann", "again");
        }
    }

    private @Nullable Fields kept() {
        if (lastGood == null || !Files.exists(lastGood)) {
            return null;
        }
        try {
            met("start from the last good document");
            Matcher number = NUMBER.matcher(Files.readString(lastGood));
            assertEquals(true, number.find(), said::toString);
            return documents.get(Integer.parseInt(number.group(1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /* Its threads and its alarms end when it is killed. */
    private LimiterRegistry started() {
        AtomicBoolean alive = new AtomicBoolean(true);
        isAlive = alive;
        LimiterRegistry.Builder builder = LimiterRegistry.builder()
                .source(source)
                .instance("one")
                .ticker(time)
                .clock(() -> Instant.EPOCH.plusNanos(time.read()).plusMillis(process))
                .alarm((nanos, action) -> isLost(nanos)
                        ? () -> {}
                        : time.ring(nanos, () -> {
                            if (alive.get()) {
                                action.run();
                            }
                        }))
                .executor(work -> {
                    if (alive.get()) {
                        work.run();
                    }
                })
                .startWithin(Duration.ZERO)
                .onEvent(event -> {});
        LimiterRegistry made =
                lastGood == null ? builder.build() : builder.lastGood(lastGood).build();
        if (isDeclared) {
            assertNotNull(made.limiter("a", new Semaphore(DECLARED)));
        }
        return made;
    }

    private boolean isLost(long nanos) {
        return flaw == Flaw.LOSES_ENDS
                && nanos > Duration.ofSeconds(LONGEST_SECONDS / 2).toNanos();
    }
}
