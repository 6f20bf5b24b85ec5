package dev.weir.benchmarks.sim;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Controller;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Ours as its users have it: a limiter under adaptive control, with or without a queue before it, on the run's clock. */
final class Weir implements Doorman {
    /** The limit at the beginning of a run unless another is asked for. */
    static final long FIRST = 8;

    /** The most that the clock of an instance is wrong by, in milliseconds, unless another value is asked for. */
    static final long CLOCKS = 50;

    private static final long MAX = 10_000;
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final ManagedLimiter limiter;
    private final AdaptiveControl control;
    private final @Nullable AdmissionQueue queue;
    private final Duration maxWait;
    private @Nullable Run run;

    /**
     * Before an instance.
     *
     * @param wrong by how many milliseconds its clock is fast
     */
    Weir(Controller controller, Scenario scenario, @Nullable QueueSpec before, long first, long wrong) {
        limiter = Limiters.builder("server", new Semaphore(first))
                .ticker(this::clock)
                .build();
        maxWait = Duration.ofNanos(scenario.timeoutNanos() / 2);
        queue = before == null
                ? null
                : AdmissionQueue.builder("server", limiter, before)
                        .ticker(this::clock)
                        .alarm((delay, action) -> run.alarm(delay, action))
                        .executor(Runnable::run)
                        .build();
        control = AdaptiveControl.builder(limiter, controller)
                .bounds(Bounds.of(1, MAX))
                .ticker(this::clock)
                .clock(() -> NOON.plusMillis(wrong).plusNanos(clock()))
                .waiting(() -> queue == null ? 0 : queue.snapshot().length())
                .build();
    }

    private long clock() {
        return run == null ? 0 : run.now();
    }

    @Override
    public void arrives(Job job, Run at) {
        run = at;
        if (queue == null) {
            decided(job, limiter.tryAcquire(Request.ONE), at);
        } else {
            queue.acquireAsync(Request.ONE, maxWait).thenAccept(decision -> decided(job, decision, at));
        }
    }

    private static void decided(Job job, Decision decision, Run run) {
        if (decision instanceof Permit permit) {
            job.token = permit;
            run.enter(job);
        } else {
            run.refuse(job);
        }
    }

    @Override
    public void left(Job job, boolean late, Run at) {
        ((Permit) job.token).release(late ? Outcome.DROPPED : Outcome.SUCCESS);
    }

    @Override
    public void cpu(long now, double share) {
        control.tick();
    }

    @Override
    public double limit() {
        return limiter.dial().limit();
    }
}
