package dev.weir.queue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/** Calls back after a while. A queue has few of them pending at any time, however many wait. */
@FunctionalInterface
public interface Alarm {
    /** Runs the action once, this many nanoseconds from now or later, on any thread; at least 1. Does not block. */
    void ring(long nanos, Runnable action);

    /** The JDK's own timer thread, which hands the action to this executor, or to the common pool if that one fails. */
    static Alarm on(Executor executor) {
        Executor failsafe = action -> {
            try {
                executor.execute(action);
            } catch (Throwable t) {
                ForkJoinPool.commonPool().execute(action);
            }
        };
        return (nanos, action) -> CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, failsafe)
                .execute(action);
    }
}
