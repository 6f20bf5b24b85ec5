package dev.weir.adaptive.state;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.LearnedCost;
import dev.weir.adaptive.RestoredState;
import dev.weir.adaptive.SavedState;
import dev.weir.adaptive.state.SavedStateReport.Event;
import dev.weir.adaptive.state.SavedStateText.Line;
import dev.weir.adaptive.state.SavedStateText.Refused;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import dev.weir.internal.AtomicFile;
import dev.weir.internal.Durations;
import dev.weir.spi.Registration;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * {@link SavedState} in a file, saved every few seconds, because a process that is killed cannot save at its end. The next
 * process restores it, discounted by the time in between: limits, what controllers have learned and the weight of learned costs fade with
 * a half-life; the debt of a rate is reduced by the time.
 *
 * <pre>{@code
 * SavedStateFile state = SavedStateFile.at(file).open();
 * StrategySpec indebted = state.restored("search")
 *         .map(restored -> restored.withDebt(spec))
 *         .orElse(spec);
 * ManagedLimiter limiter = Limiters.of("search", indebted);
 * AdaptiveControl control =
 *         AdaptiveControl.builder(limiter, new Crest()).restoring(state).build();
 * state.every(Duration.ofSeconds(5), scheduler);
 * }</pre>
 *
 * <p>A file that is damaged, of another version, larger than an eighth of the heap or unreadable is reported and ignored; it
 * never prevents a start. Only a regular file is read or replaced: with a symbolic link, a device or a pipe in its place,
 * nothing is read or saved.
 *
 * <p>Several processes may save to one file: each preserves what the others have saved of other limiters; for a name that two
 * of them have, the last save counts. They exclude each other by a lock on an empty file with {@code .lock} appended to the
 * name. Within one process there must be one instance per file: of two that save at the same time, one fails.
 *
 * <p>Thread-safe. Opening waits for the disk; saving also waits while another process saves.
 */
public final class SavedStateFile implements SavedState {
    /*
     * A save takes a number, reads all limiters and controllers without a lock, and writes under one, unless a save with a
     * higher number has written already:
     *
     *     A: number 1, reads     B: number 2, reads
     *                            writes, written := 2
     *     2 > 1: does not write
     *
     * What other processes have saved in between is in the file: see `merge`.
     */
    private static final double NEGLIGIBLE = 1e-9;

    private final LockedLines file;
    private final Clock clock;
    private final long halfLife;
    private final Consumer<SavedStateReport> listener;
    /* A save asks every controller first, without a lock. */
    private final Map<String, Line> known = new ConcurrentHashMap<>();
    /* By name: the line to save at a time; empty if there is nothing to save any more. */
    private final Map<String, LongFunction<Optional<Line>>> included = new ConcurrentHashMap<>();
    private final AtomicLong saves = new AtomicLong();
    /* Guarded by the monitor of the file. */
    private long written;

    private SavedStateFile(Builder builder) {
        file = builder.file;
        clock = builder.clock;
        halfLife = builder.halfLife;
        listener = builder.listener;
    }

    /**
     * A builder of saved state in this file. The file need not exist, but its directory must, or nothing is read or saved.
     *
     * @throws IllegalArgumentException if it has no name, like the root directory
     */
    public static Builder at(Path file) {
        return new Builder(file);
    }

    /** Options of a file of saved state. Not thread-safe. */
    public static final class Builder {
        private final LockedLines file;
        private Clock clock = Clock.systemUTC();
        private long halfLife = Duration.ofMinutes(10).toNanos();
        private Consumer<SavedStateReport> listener = new SavedStateLog();

        private Builder(Path file) {
            this.file = new LockedLines(new AtomicFile("file", file));
        }

        /** The clock that measures the time between processes. Default: {@link Clock#systemUTC()}. */
        public Builder clock(Clock other) {
            clock = Objects.requireNonNull(other, "clock");
            return this;
        }

        /**
         * The time after which the trust in what was saved is one half, more than 0. Default: 10 minutes.
         *
         * @throws IllegalArgumentException if it is not more than 0
         */
        public Builder halfLife(Duration time) {
            halfLife = Durations.nanos("halfLife", time);
            return this;
        }

        /**
         * Called with the result of each reading and writing, on the thread that does it; what it throws is ignored. Default:
         * each kind of failure is logged once, as a warning.
         */
        public Builder reportingTo(Consumer<SavedStateReport> reports) {
            listener = Objects.requireNonNull(reports, "reports");
            return this;
        }

        /** Reads the file, if possible. Does not throw because of the file. */
        public SavedStateFile open() {
            SavedStateFile state = new SavedStateFile(this);
            state.read();
            return state;
        }
    }

    private void read() {
        try {
            file.read().forEach(line -> known.put(line.name(), line));
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
            // a listener must not prevent a start or a save
        }
    }

    /**
     * The state saved of the limiter of this name, aged until now. If it was saved in the future, by a clock that was set back
     * since, no time has passed. Once the name is included and saved again, this is what was saved then.
     */
    @Override
    public Optional<RestoredState> restored(String name) {
        Line line = known.get(Objects.requireNonNull(name, "name"));
        return Optional.ofNullable(line).map(saved -> aged(saved, clock.millis()));
    }

    private RestoredState aged(Line line, long now) {
        Duration away = Duration.ofMillis(now > line.at() ? Math.max(0, now - line.at()) : 0);
        long nanos = TimeUnit.NANOSECONDS.convert(away);
        double trust = StrictMath.pow(2, -(double) nanos / halfLife);
        return new RestoredState(
                line.name(), line.limit(), line.learned(), Math.max(0, line.debtNanos() - nanos), away, trust);
    }

    /** {@inheritDoc} After the limiter is closed, the state last saved is preserved: save once more before that. */
    @Override
    public void include(AdaptiveControl control) {
        ManagedLimiter limiter = control.limiter();
        included.put(limiter.name(), now -> line(limiter, control, now));
    }

    /** Includes the debt of a limiter without a control, under its name, as {@link #include(AdaptiveControl)} does. */
    public void include(ManagedLimiter limiter) {
        included.put(limiter.name(), now -> line(limiter, null, now));
    }

    @Override
    public void include(LearnedCost costs) {
        String name = costs.savedName();
        included.put(name, now -> Optional.of(new Line(name, now, 1, 0, costs.learned())));
    }

    /** Empty if the limiter is closed. */
    private static Optional<Line> line(ManagedLimiter limiter, @Nullable AdaptiveControl control, long now) {
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

    /**
     * Saves at this interval until the registration is closed or the scheduler shuts down.
     *
     * @throws IllegalArgumentException if the period is not more than 0
     */
    public Registration every(Duration period, ScheduledExecutorService scheduler) {
        long nanos = Durations.nanos("period", period);
        ScheduledFuture<?> saving = scheduler.scheduleWithFixedDelay(this::save, nanos, nanos, TimeUnit.NANOSECONDS);
        return () -> saving.cancel(false);
    }

    /**
     * Saves now: the current state of all that is included, and what was restored but is not included, as it was or as another
     * process has saved it since, until its trust and its debt are 0. A limiter that cannot be read stays as last known. Does
     * not throw; a failure is reported and leaves the file unchanged.
     *
     * @return whether the file is up to date
     */
    public boolean save() {
        try {
            long number = saves.incrementAndGet();
            long now = clock.millis();
            Map<String, Line> lines = collect(now);
            synchronized (file) {
                if (number > written) {
                    file.replace(saved -> merge(saved, lines, now));
                    written = number;
                }
            }
            report(Event.SAVED, lines.size() + " limiters", null);
            return true;
        } catch (Throwable t) {
            report(Event.UNSAVED, t.toString(), t);
            return false;
        }
    }

    private Map<String, Line> collect(long now) {
        included.forEach((name, source) -> {
            try {
                source.apply(now).ifPresent(line -> known.put(name, line));
            } catch (Throwable t) {
                report(Event.UNSAVED, "cannot read " + name, t);
            }
        });
        known.values().removeIf(line -> isNegligible(line, now));
        return new TreeMap<>(known);
    }

    private boolean isNegligible(Line line, long now) {
        RestoredState restored = aged(line, now);
        return restored.trust() < NEGLIGIBLE && restored.debtNanos() == 0;
    }

    /**
     * Adds to these lines what other processes have saved: of a limiter that both have, the later one, and ours if it is of
     * now.
     */
    private Collection<Line> merge(Collection<Line> saved, Map<String, Line> lines, long now) {
        for (Line line : saved) {
            if (!isNegligible(line, now)) {
                lines.merge(
                        line.name(),
                        line,
                        (ours, theirs) -> ours.at() == now || ours.at() >= theirs.at() ? ours : theirs);
            }
        }
        return lines.values();
    }

    /** A log of failures to save or restore, each kind once. Thread-safe. */
    private static final class SavedStateLog implements Consumer<SavedStateReport> {
        private static final Set<Event> USUAL = EnumSet.of(Event.RESTORED, Event.SAVED, Event.ABSENT);

        private final Set<Event> logged = ConcurrentHashMap.newKeySet();

        @Override
        public void accept(SavedStateReport report) {
            if (!USUAL.contains(report.event()) && logged.add(report.event())) {
                System.getLogger(SavedStateFile.class.getName())
                        .log(
                                System.Logger.Level.WARNING,
                                "state in " + report.file() + ": " + report.event() + ", " + report.detail()
                                        + " (logged once)",
                                report.cause());
            }
        }
    }
}
