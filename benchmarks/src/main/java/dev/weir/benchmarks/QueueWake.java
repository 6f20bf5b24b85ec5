package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A limit is raised while a blocked thread waits, for an hour at most: until that thread has seen its permit. */
public class QueueWake {
    /** Two threads in turn: the measured one lets the other in, and waits until it has been in and is parked again. */
    public abstract static class Pair {
        private volatile long seen;
        private volatile boolean over;
        private volatile @Nullable RuntimeException failure;
        private Thread woken;
        private long rounds;

        abstract void waitToBeLetIn() throws InterruptedException;

        abstract void letIn();

        @Setup(Level.Iteration)
        public void start() {
            over = false;
            seen = 0;
            rounds = 0;
            woken = new Thread(() -> {
                try {
                    while (!over) {
                        waitToBeLetIn();
                        seen++;
                    }
                } catch (InterruptedException e) {
                    over = true;
                } catch (RuntimeException e) {
                    failure = e;
                }
            });
            woken.start();
            untilParked();
        }

        @TearDown(Level.Iteration)
        public void stop() throws InterruptedException {
            over = true;
            woken.interrupt();
            woken.join();
        }

        Thread woken() {
            return woken;
        }

        long round() {
            letIn();
            rounds++;
            while (seen != rounds) {
                if (failure != null) {
                    throw new IllegalStateException(failure);
                }
                Thread.onSpinWait();
            }
            untilParked();
            return rounds;
        }

        private void untilParked() {
            for (Thread.State state = woken.getState();
                    state != Thread.State.WAITING && state != Thread.State.TIMED_WAITING;
                    state = woken.getState()) {
                Thread.onSpinWait();
            }
        }
    }

    @State(Scope.Thread)
    public static class Weir extends Pair {
        private final ManagedLimiter limiter = Limiters.of("wake", new Semaphore(1));
        private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(10));

        public Weir() {
            limiter.tryAcquire();
        }

        @Override
        void waitToBeLetIn() throws InterruptedException {
            Decision decision = admitted(queue.acquire(Request.ONE, QueuePeers.LONG));
            limiter.dial().setLimit(1);
            ((Permit) decision).close();
        }

        @Override
        void letIn() {
            limiter.dial().setLimit(2);
        }
    }

    @Benchmark
    public long weir(Weir its) {
        return its.round();
    }

    @State(Scope.Thread)
    public static class Juc extends Pair {
        private final java.util.concurrent.Semaphore semaphore = new java.util.concurrent.Semaphore(0, true);

        @Override
        void waitToBeLetIn() throws InterruptedException {
            admitted(semaphore.tryAcquire(1, TimeUnit.HOURS));
        }

        @Override
        void letIn() {
            semaphore.release();
        }
    }

    @Benchmark
    public long jucSemaphore(Juc its) {
        return its.round();
    }

    @State(Scope.Thread)
    public static class Bare extends Pair {
        private volatile boolean let;

        @Override
        void waitToBeLetIn() throws InterruptedException {
            while (!let) {
                LockSupport.parkNanos(this, QueuePeers.LONG.toNanos());
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            let = false;
        }

        @Override
        void letIn() {
            let = true;
            LockSupport.unpark(woken());
        }
    }

    @Benchmark
    public long floorUnpark(Bare its) {
        return its.round();
    }
}
