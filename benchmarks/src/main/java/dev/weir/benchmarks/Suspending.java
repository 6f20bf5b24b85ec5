package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;
import static dev.weir.benchmarks.Expect.refused;

import dev.weir.Decision;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.ManagedLimiter;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A request while another thread calls {@code suspendFor} a million times a second, beside one while it makes no call. */
public class Suspending {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);

    /** The thread that calls, one call in a microsecond. It spins between them, also where it makes none. */
    abstract static class Caller {
        private static final long PERIOD_NANOS = 1_000;

        final ManagedLimiter limiter;
        final LongAdder calls = new LongAdder();
        private final Thread thread;
        private volatile boolean isOver;

        Caller(ManagedLimiter limiter, boolean calls, Duration time, Duration step) {
            this.limiter = limiter;
            thread = new Thread(() -> call(calls, time, step), "suspends");
            thread.setDaemon(true);
            thread.start();
        }

        private void call(boolean isCalling, Duration first, Duration step) {
            Duration time = first;
            for (long next = System.nanoTime(); !isOver; next += PERIOD_NANOS) {
                while (System.nanoTime() - next < 0) {
                    Thread.onSpinWait();
                }
                if (isCalling) {
                    limiter.suspendFor(time, "told");
                    time = time.plus(step);
                    calls.increment();
                }
            }
        }

        @TearDown
        public final void end() {
            isOver = true;
        }
    }

    private static ManagedLimiter rate() {
        return Mixed.limiter(TokenBucket.of(1_000_000_000, SECOND));
    }

    private static ManagedLimiter suspended() {
        ManagedLimiter limiter = Mixed.limiter(new Semaphore(64));
        limiter.suspendFor(DAY, "told");
        return limiter;
    }

    @State(Scope.Benchmark)
    public static class Idle extends Caller {
        public Idle() {
            super(rate(), false, Duration.ZERO, Duration.ZERO);
        }
    }

    /** The time that is told has passed. */
    @State(Scope.Benchmark)
    public static class Past extends Caller {
        public Past() {
            super(rate(), true, Duration.ZERO, Duration.ZERO);
        }
    }

    @State(Scope.Benchmark)
    public static class SuspendedIdle extends Caller {
        public SuspendedIdle() {
            super(suspended(), false, Duration.ZERO, Duration.ZERO);
        }
    }

    /** Each call tells an end that is sooner than the present one. */
    @State(Scope.Benchmark)
    public static class Sooner extends Caller {
        public Sooner() {
            super(suspended(), true, SECOND, Duration.ZERO);
        }
    }

    /** Each call tells a later end. */
    @State(Scope.Benchmark)
    public static class Later extends Caller {
        public Later() {
            super(suspended(), true, DAY, Duration.ofNanos(1));
        }
    }

    @Benchmark
    public Decision weirAdmit(Past its) {
        return admitted(its.limiter.tryAcquire());
    }

    @Benchmark
    public Decision floorAdmit(Idle its) {
        return admitted(its.limiter.tryAcquire());
    }

    @Benchmark
    public Decision weirSooner(Sooner its) {
        return refused(its.limiter.tryAcquire());
    }

    @Benchmark
    public Decision weirLater(Later its) {
        return refused(its.limiter.tryAcquire());
    }

    @Benchmark
    public Decision floorSuspended(SuspendedIdle its) {
        return refused(its.limiter.tryAcquire());
    }
}
