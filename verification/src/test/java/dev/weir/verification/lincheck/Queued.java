package dev.weir.verification.lincheck;

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
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A line as two threads use it, by futures and without timers, before a semaphore all of whose permits are out. At the end
 * no request waits beside a permit that it could have, and no permit is lost or won.
 */
abstract class Queued {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);

    final ManagedLimiter limiter;
    final AdmissionQueue queue;
    private volatile long now;
    private volatile Runnable alarm = () -> {};
    private final Permit[][] held = new Permit[3][4];
    private final int[] out = new int[3];
    private final Wait[][] waits = new Wait[3][4];
    private final int[] asked = new int[3];

    private record Wait(CompletableFuture<Decision> answer, int permits) {
        @Nullable
        Permit permit() {
            boolean granted = answer.isDone() && !answer.isCancelled();
            return granted && answer.join() instanceof Permit permit ? permit : null;
        }
    }

    Queued(int limit) {
        limiter = Limiters.of("l", new Semaphore(limit));
        queue = AdmissionQueue.builder("l", limiter, QueueSpec.of(10))
                .ticker(() -> now)
                .alarm((nanos, action) -> {
                    alarm = action;
                    return () -> {};
                })
                .executor(Runnable::run)
                .build();
        for (int i = 0; i < limit; i++) {
            int thread = 1 + i % 2;
            held[thread][out[thread]++] = (Permit) limiter.tryAcquire();
        }
    }

    final void enter(int thread, int permits, long timeout) {
        Duration wait = timeout == 0 ? EVER : Duration.ofNanos(timeout);
        waits[thread][asked[thread]] = new Wait(queue.acquireAsync(Request.of(permits), wait), permits);
        asked[thread]++;
    }

    final void releaseOne(int thread) {
        if (out[thread] > 0) {
            held[thread][--out[thread]].close();
        }
    }

    final void cancelLast(int thread) {
        if (asked[thread] > 0) {
            waits[thread][asked[thread] - 1].answer().cancel(false);
        }
    }

    final void pass(long nanos) {
        now = nanos;
        alarm.run();
    }

    final void checkLine() {
        int taken = IntStream.of(out).sum();
        int narrowest = Integer.MAX_VALUE;
        for (Wait[] ofThread : waits) {
            for (Wait wait : ofThread) {
                if (wait != null) {
                    taken += wait.permit() == null ? 0 : wait.permits();
                    narrowest = wait.answer().isDone() ? narrowest : Math.min(narrowest, wait.permits());
                }
            }
        }
        long free = Math.max(0, limiter.snapshot().limit() - taken);
        long given = IntStream.range(0, 10)
                .filter(i -> limiter.tryAcquire() instanceof Permit)
                .count();
        if (given != free) {
            throw new AssertionError(given + " given, not " + free);
        }
        if (given >= narrowest) {
            throw new AssertionError("one waits for " + narrowest + " beside " + given);
        }
        boolean waiting = narrowest < Integer.MAX_VALUE;
        if (waiting != queue.snapshot().length() > 0) {
            throw new AssertionError("waiting: " + waiting + ", " + queue.snapshot());
        }
    }
}
