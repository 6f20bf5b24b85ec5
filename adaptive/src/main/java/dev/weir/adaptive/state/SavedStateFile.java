package dev.weir.adaptive.state;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.RestoredState;
import dev.weir.adaptive.SavedState;
import dev.weir.adaptive.internal.Durations;
import dev.weir.adaptive.state.SavedStateReport.Event;
import dev.weir.adaptive.state.SavedStateText.Line;
import dev.weir.adaptive.state.SavedStateText.Refused;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import dev.weir.spi.Registration;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What limiters have learned, kept in a file: saved every few seconds, for a process that is killed says no last words,
 * and taken up by the next one, the less the longer it was away. Limits and what controllers have learned fade with a
 * half-life; what a rate owes is paid off by the time away.
 *
 * <pre>{@code
 * SavedStateFile state = SavedStateFile.at(Path.of("weir.kept")).reportingTo(reports).open();
 * StrategySpec owing = state.restored("search").map(kept -> kept.withDebt(spec)).orElse(spec);
 * ManagedLimiter limiter = Limiters.of("search", owing);
 * AdaptiveControl control = AdaptiveControl.builder(limiter, controller).restoring(state).build();
 * state.every(Duration.ofSeconds(5), scheduler);
 * }</pre>
 *
 * <p>A file that is damaged, of another version, larger than an eighth of the heap or unreadable is reported and taken as
 * none; it never stops a start. Only a regular file is read or replaced: with a symbolic link, a device or a pipe in its
 * place, nothing is read or saved.
 *
 * <p>Several processes may save to one file: each keeps what the others have saved of limiters that it does not have, and of
 * a name that both have, the last save counts. They take turns by a lock on a file beside, with {@code .lock} appended to
 * the name, which stays empty. Within one process, one instance per file: of two that save at the same time, one fails.
 *
 * <p>Thread-safe; opening waits for the disk, saving also for a save of another process.
 */
public final class SavedStateFile implements SavedState {
    /*
     * A save takes a turn, asks everybody without a lock, and writes under one, unless a later turn has written already:
     *
     *     A: turn 1, asks        B: turn 2, asks
     *                            writes, written := 2
     *     2 > 1: leaves it
     *
     * What other processes have saved in between is in the file: see `merged`.
     */
    private static final double FORGOTTEN = 1e-9;

    private final AtomicFile file;
    private final Clock clock;
    private final long halfLife;
    private final Consumer<SavedStateReport> listener;
    private final Map<String, Line> known = new ConcurrentHashMap<>();
    private final Map<String, Source> live = new ConcurrentHashMap<>();
    private final AtomicLong turns = new AtomicLong();
    private long written;

    private SavedStateFile(Builder asked) {
        file = asked.file;
        clock = asked.clock;
        halfLife = asked.halfLife;
        listener = asked.listener;
    }

    /**
     * In this file; its directory must be there, else nothing is read or saved; the file need not be.
     *
     * @throws IllegalArgumentException if it has no name, as the root directory has none
     */
    public static Builder at(Path file) {
        return new Builder(file);
    }

    /** How state is kept; not thread-safe. */
    public static final class Builder {
        private final AtomicFile file;
        private Clock clock = Clock.systemUTC();
        private long halfLife = Duration.ofMinutes(10).toNanos();
        private Consumer<SavedStateReport> listener = new SavedStateLog();

        private Builder(Path file) {
            this.file = new AtomicFile(file);
        }

        /** The calendar, by which the time away is measured and nothing else; {@link Clock#systemUTC()} unless told. */
        public Builder clock(Clock other) {
            clock = Objects.requireNonNull(other, "clock");
            return this;
        }

        /** After how long away what was learned is half believed, more than 0; 10 minutes unless told. */
        public Builder halfLife(Duration time) {
            halfLife = Durations.nanos("halfLife", time);
            return this;
        }

        /**
         * Told of each reading and writing, on the thread that does it; what it throws is ignored. By default, each kind of
         * trouble is logged once, as a warning.
         */
        public Builder reportingTo(Consumer<SavedStateReport> reports) {
            listener = Objects.requireNonNull(reports, "reports");
            return this;
        }

        /** Reads the file, if it can. Throws nothing for what is in it. */
        public SavedStateFile open() {
            SavedStateFile state = new SavedStateFile(this);
            state.read();
            return state;
        }
    }

    private void read() {
        try {
            for (Line line : file.read()) {
                known.put(line.name(), line);
            }
            report(Event.RESTORED, known.size() + " limiters", null);
        } catch (Refused e) {
            report(e.event, String.valueOf(e.getMessage()), null);
        } catch (Throwable t) {
            report(Event.UNREADABLE, t.toString(), t);
        }
    }

    private void report(Event event, String detail, @Nullable Throwable cause) {
        try {
            listener.accept(new SavedStateReport(file.path(), event, detail, cause));
        } catch (Throwable t) {
            // a listener's own affair
        }
    }

    /**
     * What an earlier process kept of the limiter of this name, aged until now. Away since the future, by a calendar that
     * was set back, is away for no time. Once the name is kept anew and saved, it is what was saved.
     */
    @Override
    public Optional<RestoredState> restored(String name) {
        Line line = known.get(Objects.requireNonNull(name, "name"));
        return Optional.ofNullable(line).map(kept -> aged(kept, clock.millis()));
    }

    private RestoredState aged(Line line, long now) {
        Duration away = Duration.ofMillis(now > line.at() ? Math.max(0, now - line.at()) : 0);
        long nanos = away.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : away.toNanos();
        double trust = StrictMath.pow(2, -(double) nanos / halfLife);
        return new RestoredState(
                line.name(), line.limit(), line.learned(), Math.max(0, line.debtNanos() - nanos), away, trust);
    }

    /**
     * Keeps what this control has learned, and its limiter's debt, by the limiter's name, from the next save on. After the
     * limiter's end it stays as last saved, so save once more before.
     */
    @Override
    public void include(AdaptiveControl control) {
        ManagedLimiter limiter = control.limiter();
        live.put(limiter.name(), new Source(limiter, control));
    }

    /** Keeps the debt of a limiter that no control turns, by its name, as {@link #include(AdaptiveControl)} does. */
    public void include(ManagedLimiter limiter) {
        live.put(limiter.name(), new Source(limiter, null));
    }

    private record Source(ManagedLimiter limiter, @Nullable AdaptiveControl control) {
        /** None if the limiter has ended. */
        Optional<Line> line(long now) {
            Snapshot snapshot = limiter.snapshot();
            if (snapshot.limit() < 1) {
                return Optional.empty();
            }
            long limit = control == null
                    ? snapshot.limit()
                    : Math.max(1, control.snapshot().limit());
            Map<String, Double> learned = control == null ? Map.of() : control.learned();
            return Optional.of(new Line(snapshot.name(), now, limit, snapshot.debtNanos(), learned));
        }
    }

    /**
     * Saves every so often, more than 0, until the registration is closed. On a scheduler of the caller's; one that goes
     * down takes this with it.
     */
    public Registration every(Duration period, ScheduledExecutorService scheduler) {
        long nanos = Durations.nanos("period", period);
        ScheduledFuture<?> saving = scheduler.scheduleWithFixedDelay(this::save, nanos, nanos, TimeUnit.NANOSECONDS);
        return () -> saving.cancel(false);
    }

    /**
     * Saves now: all that is kept as it stands, and what was restored and not yet taken up again as it was, or as another
     * process has saved it since, until it is forgotten. What cannot be asked stays as last known. Throws nothing; a failure
     * is reported and leaves the file alone.
     *
     * @return whether the file is as new as this call
     */
    public boolean save() {
        try {
            long turn = turns.incrementAndGet();
            long now = clock.millis();
            Map<String, Line> lines = gathered(now);
            synchronized (file) {
                if (turn > written) {
                    file.replace(saved -> merged(saved, lines, now));
                    written = turn;
                }
            }
            report(Event.SAVED, lines.size() + " limiters", null);
            return true;
        } catch (Throwable t) {
            report(Event.UNSAVED, t.toString(), t);
            return false;
        }
    }

    private Map<String, Line> gathered(long now) {
        live.forEach((name, source) -> {
            try {
                source.line(now).ifPresent(line -> known.put(name, line));
            } catch (Throwable t) {
                report(Event.UNSAVED, "cannot ask " + name, t);
            }
        });
        known.values().removeIf(line -> forgotten(line, now));
        return new TreeMap<>(known);
    }

    private boolean forgotten(Line line, long now) {
        RestoredState kept = aged(line, now);
        return kept.trust() < FORGOTTEN && kept.debtNanos() == 0;
    }

    /** Adds to these lines what other processes have saved: not of a limiter that has just answered, else the later. */
    private Collection<Line> merged(Collection<Line> saved, Map<String, Line> lines, long now) {
        for (Line line : saved) {
            if (!forgotten(line, now)) {
                lines.merge(
                        line.name(),
                        line,
                        (ours, theirs) -> ours.at() == now || ours.at() >= theirs.at() ? ours : theirs);
            }
        }
        return lines.values();
    }
}
