package dev.weir.verification.jcstress;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A queue before a semaphore all of whose permits are out, with time and alarm in the test's hand. */
final class Waits {
    static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);

    final ManagedLimiter limiter;
    final Permit[] held;
    final AdmissionQueue queue;
    volatile long now;
    volatile Runnable alarm = () -> {};

    Waits(int limit) {
        limiter = Limiters.of("l", new Semaphore(limit));
        queue = AdmissionQueue.builder("l", limiter, QueueSpec.of(10))
                .ticker(() -> now)
                .alarm((nanos, action) -> {
                    alarm = action;
                    return () -> {};
                })
                .executor(Runnable::run)
                .build();
        held = new Permit[limit];
        for (int i = 0; i < limit; i++) {
            held[i] = (Permit) limiter.tryAcquire();
        }
    }

    CompletableFuture<Decision> wait(int permits, Duration timeout) {
        return queue.acquireAsync(Request.of(permits), timeout);
    }

    static boolean isGranted(CompletableFuture<Decision> answer) {
        return answer.isDone() && !answer.isCancelled() && answer.join() instanceof Permit;
    }

    /** How many are really free, taken and not given back. */
    int free() {
        int free = 0;
        while (limiter.tryAcquire() instanceof Permit) {
            free++;
        }
        return free;
    }
}
