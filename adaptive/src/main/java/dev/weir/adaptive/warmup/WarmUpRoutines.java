package dev.weir.adaptive.warmup;

import dev.weir.Ticker;
import dev.weir.adaptive.warmup.WarmUpReport.Result;
import dev.weir.internal.Durations;
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
 * A runner of warm-up routines before an instance is open for load, for a limited time in total. The caller opens the instance
 * after {@link #run} has returned, by registering its limiters, its address or its readiness. As long as nothing else has the
 * limiter, nothing can be admitted:
 *
 * <pre>{@code
 * List<WarmUpReport> reports = WarmUpRoutines.of(routines).within(Duration.ofSeconds(20)).run(executor);
 * registry.register(limiter);
 * }</pre>
 *
 * <p>Immutable; may run several times.
 */
public final class WarmUpRoutines {
    private static final Duration DEFAULT_TIME = Duration.ofSeconds(30);

    private final List<WarmUpRoutine> routines;
    private final long nanos;
    private final Ticker ticker;

    private WarmUpRoutines(List<WarmUpRoutine> routines, long nanos, Ticker ticker) {
        this.routines = routines;
        this.nanos = nanos;
        this.ticker = ticker;
    }

    /** A runner of these routines, within 30 seconds. */
    public static WarmUpRoutines of(Collection<? extends WarmUpRoutine> routines) {
        return new WarmUpRoutines(List.copyOf(routines), DEFAULT_TIME.toNanos(), Ticker.system());
    }

    /**
     * The same with this total time, more than 0.
     *
     * @throws IllegalArgumentException if it is not more than 0
     */
    public WarmUpRoutines within(Duration limit) {
        return new WarmUpRoutines(routines, Durations.nanos("limit", limit), ticker);
    }

    /** The same with this clock. */
    public WarmUpRoutines by(Ticker clock) {
        return new WarmUpRoutines(routines, nanos, Objects.requireNonNull(clock, "clock"));
    }

    /**
     * Runs all routines on this executor and waits for them. When the time is over, those that run are interrupted and those
     * that have not begun never run; one that ignores the interrupt continues, and is not waited for. Exceptions of routines
     * and of the executor are in the reports.
     *
     * @return a report for each routine, in their order
     * @throws InterruptedException if this thread is interrupted; then the routines are interrupted too
     */
    public List<WarmUpReport> run(Executor executor) throws InterruptedException {
        Objects.requireNonNull(executor, "executor");
        long start = ticker.read();
        List<Run> runs =
                routines.stream().map(routine -> new Run(routine, start)).toList();
        try {
            runs.forEach(run -> run.startOn(executor));
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
        private final FutureTask<Boolean> task = new FutureTask<>(this::runInTime);
        /* Written by the thread of the routine; one that is not over in time is read at any point. */
        private volatile @Nullable Throwable refused;
        private volatile boolean begun;
        private volatile long began;
        private volatile long took;

        Run(WarmUpRoutine routine, long start) {
            this.routine = routine;
            this.start = start;
        }

        void startOn(Executor executor) {
            try {
                executor.execute(task);
            } catch (Throwable t) {
                refused = t;
            }
        }

        /** False if it was too late to begin. */
        private Boolean runInTime() throws Exception {
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
            Throwable rejection = refused;
            if (rejection != null) {
                return report(Result.FAILED, 0, rejection);
            }
            try {
                boolean inTime = task.get(Math.max(0, nanos - (ticker.read() - start)), TimeUnit.NANOSECONDS);
                return report(inTime ? Result.DONE : Result.TIMED_OUT, took, null);
            } catch (TimeoutException e) {
                return task.cancel(true) ? report(Result.TIMED_OUT, begun ? ticker.read() - began : 0, null) : await();
            } catch (ExecutionException e) {
                return report(Result.FAILED, took, e.getCause());
            } catch (CancellationException e) {
                return report(Result.FAILED, took, e); // by the executor
            }
        }

        private WarmUpReport report(Result result, long ran, @Nullable Throwable failure) {
            return new WarmUpReport(name(), result, ran, failure);
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
