package dev.weir.samples;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.controller.Crest;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.executor.LimitedExecutor;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.AdaptiveLifo;
import dev.weir.samples.Guard.Job;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * An admission control, with the same methods for each product.
 *
 * @param door has a job run by the pool, or refused
 * @param count of those inside, its own
 * @param standing the limit in force and why
 */
record Guard(Consumer<Job> door, LongSupplier count, Supplier<String> standing) {
    /** Has the job run by the pool, or refused. */
    void admit(Job job) {
        door.accept(job);
    }

    /** The number of those inside, by its own count. */
    long inside() {
        return count.getAsLong();
    }

    /** The limit in force and why. */
    String state() {
        return standing.get();
    }

    /** The work of a request. */
    interface Job extends Runnable {
        /** True if the caller has given up by now. */
        boolean isLate();

        void refuse();
    }

    /** The guard of this name, whose limit is the guess at first; it may grow to a thousand if it is adaptive. */
    static Guard named(String name, Executor pool, int guess) {
        return switch (name) {
            case "unguarded" -> new Guard(pool::execute, () -> 0, () -> "no limit");
            case "gradient2" -> netflix(pool, Gradient2Limit.newDefault());
            case "gradient2-windowed" ->
                netflix(
                        pool,
                        WindowedLimit.newBuilder()
                                .build(Gradient2Limit.newBuilder()
                                        .initialLimit(guess)
                                        .minLimit(1)
                                        .maxConcurrency(1000)
                                        .build()));
            case "vegas-windowed" ->
                netflix(
                        pool,
                        WindowedLimit.newBuilder()
                                .build(VegasLimit.newBuilder()
                                        .initialLimit(guess)
                                        .maxConcurrency(1000)
                                        .build()));
            case "fixed" -> weir(pool, Limiters.of("work", new Semaphore(guess)), () -> "fixed");
            case "weir" -> weir(pool, guess, new Crest());
            case "weir-alone" -> weir(pool, guess, Crest.alone());
            case "weir+queue" -> weirBehindAQueue(pool, guess);
            default -> throw new IllegalArgumentException("no guard is called " + name);
        };
    }

    private static Guard weir(Executor pool, int guess, Controller controller) {
        ManagedLimiter limiter = Limiters.of("work", new Semaphore(guess));
        AdaptiveControl control = AdaptiveControl.of(limiter, controller, Bounds.of(1, 1000));
        return weir(pool, limiter, () -> control.snapshot().why());
    }

    private static Guard weir(Executor pool, ManagedLimiter limiter, Supplier<String> why) {
        return weir(limiter, why, job -> {
            if (limiter.tryAcquire() instanceof Permit permit) {
                run(pool, job, late -> permit.release(late ? Outcome.DROPPED : Outcome.SUCCESS));
            } else {
                job.refuse();
            }
        });
    }

    private static Guard weir(ManagedLimiter limiter, Supplier<String> why, Consumer<Job> door) {
        return new Guard(
                door,
                () -> limiter.snapshot().inFlight(),
                () -> "limit " + limiter.dial().limit() + ", " + why.get());
    }

    /* A line that outlasts a lump of arrivals and no more: the limit need not be as high as a lump. */
    private static Guard weirBehindAQueue(Executor pool, int guess) {
        ManagedLimiter limiter = Limiters.of("work", new Semaphore(guess));
        AdmissionQueue queue =
                AdmissionQueue.before(limiter, QueueSpec.of(100).by(new AdaptiveLifo(Duration.ofMillis(5))));
        AdaptiveControl control = AdaptiveControl.builder(limiter, new Crest())
                .bounds(Bounds.of(1, 1000))
                .waiting(() -> queue.snapshot().length())
                .build();
        LimitedExecutor limited = LimitedExecutor.builder(pool, queue)
                .maxWait(Duration.ofMillis(20))
                .rejecting(refused -> {
                    ((Job) refused.task()).refuse();
                    refused.discard();
                })
                .build();
        return weir(limiter, () -> control.snapshot().why(), limited::execute);
    }

    private static void run(Executor pool, Job job, Consumer<Boolean> leave) {
        pool.execute(() -> {
            boolean late = true;
            try {
                job.run();
                late = job.isLate();
            } finally {
                leave.accept(late);
            }
        });
    }

    @SuppressWarnings("NullAway")
    private static Guard netflix(Executor pool, Limit limit) {
        SimpleLimiter<Void> limiter = SimpleLimiter.newBuilder().limit(limit).build();
        return new Guard(
                job -> limiter.acquire(null)
                        .ifPresentOrElse(
                                listener -> run(pool, job, late -> {
                                    if (late) {
                                        listener.onDropped();
                                    } else {
                                        listener.onSuccess();
                                    }
                                }),
                                job::refuse),
                limiter::getInflight,
                () -> "limit " + limit.getLimit());
    }
}
