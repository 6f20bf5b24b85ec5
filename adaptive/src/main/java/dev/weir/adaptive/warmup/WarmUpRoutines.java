package dev.weir.adaptive.warmup;

import dev.weir.Ticker;
import dev.weir.adaptive.internal.Durations;
import dev.weir.adaptive.warmup.WarmUpReport.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What to run before the gate opens, at most for so long in all. The gate is the caller's: whatever makes the instance
 * known, such as registering its limiters, its address or its readiness, comes after {@link #run} has returned. Before a
 * first {@code dev.weir.engine.ManagedLimiter} that nobody has been given yet, nothing can be admitted:
 *
 * <pre>{@code
 * List<WarmUpReport> reports = WarmUpRoutines.of(routines).within(Duration.ofSeconds(20)).run(executor);
 * registry.register(limiter);
 * }</pre>
 *
 * Immutable, so it can be run again.
 */
public final class WarmUpRoutines {
    private static final Duration USUAL = Duration.ofSeconds(30);

    private final List<WarmUpRoutine> routines;
    private final long nanos;
    private final Ticker ticker;

    private WarmUpRoutines(List<WarmUpRoutine> routines, long nanos, Ticker ticker) {
        this.routines = routines;
        this.nanos = nanos;
        this.ticker = ticker;
    }

    /** These, within 30 seconds unless told otherwise. */
    public static WarmUpRoutines of(Collection<? extends WarmUpRoutine> routines) {
        return new WarmUpRoutines(List.copyOf(routines), USUAL.toNanos(), Ticker.system());
    }

    /** At most for so long in all, more than 0. */
    public WarmUpRoutines within(Duration limit) {
        return new WarmUpRoutines(routines, Durations.nanos("limit", limit), ticker);
    }

    /** By this clock. */
    public WarmUpRoutines by(Ticker clock) {
        return new WarmUpRoutines(routines, nanos, Objects.requireNonNull(clock, "clock"));
    }

    /**
     * Runs all of them, as many at a time as the executor does, and waits for them. Once the time is over, those that run
     * are interrupted and those that have not begun never do; one that does not heed the interruption is left behind.
     * Throws nothing that a routine or the executor has thrown.
     *
     * @return a report each, in the order given
     * @throws InterruptedException if the caller is interrupted; the routines are, too
     */
    public List<WarmUpReport> run(Executor executor) throws InterruptedException {
        Objects.requireNonNull(executor, "executor");
        long start = ticker.read();
        List<Run> runs = new ArrayList<>();
        for (WarmUpRoutine routine : routines) {
            runs.add(new Run(routine, start));
        }
        try {
            runs.forEach(run -> run.handTo(executor));
            List<WarmUpReport> reports = new ArrayList<>();
            for (Run run : runs) {
                reports.add(run.await());
            }
            return List.copyOf(reports);
        } finally {
            runs.forEach(run -> run.task.cancel(true));
        }
    }

    private final class Run {
        private final WarmUpRoutine routine;
        private final long start;
        private final FutureTask<Boolean> task = new FutureTask<>(this::toItsEnd);
        private volatile @Nullable Throwable refused;
        private volatile boolean begun;
        private volatile long began;
        private volatile long took;

        Run(WarmUpRoutine routine, long start) {
            this.routine = routine;
            this.start = start;
        }

        void handTo(Executor executor) {
            try {
                executor.execute(task);
            } catch (Throwable t) {
                refused = t;
            }
        }

        /** False if it was too late to begin. */
        private Boolean toItsEnd() throws Exception {
            began = ticker.read();
            if (began - start >= nanos) {
                return false;
            }
            begun = true;
            try {
                routine.run();
                return true;
            } finally {
                took = ticker.read() - began;
            }
        }

        WarmUpReport await() throws InterruptedException {
            Throwable refusal = refused;
            if (refusal != null) {
                return report(Outcome.FAILED, 0, refusal);
            }
            try {
                boolean inTime = task.get(Math.max(0, nanos - (ticker.read() - start)), TimeUnit.NANOSECONDS);
                return report(inTime ? Outcome.DONE : Outcome.TIMED_OUT, took, null);
            } catch (TimeoutException e) {
                return task.cancel(true) ? report(Outcome.TIMED_OUT, begun ? ticker.read() - began : 0, null) : await();
            } catch (ExecutionException e) {
                return report(Outcome.FAILED, took, e.getCause());
            } catch (CancellationException e) {
                return report(Outcome.FAILED, took, e); // by the executor
            }
        }

        private WarmUpReport report(Outcome outcome, long ran, @Nullable Throwable failure) {
            return new WarmUpReport(name(), outcome, ran, failure);
        }

        private String name() {
            try {
                return routine.name();
            } catch (Throwable t) {
                return routine.getClass().getName();
            }
        }
    }
}
