package dev.weir.adaptive.controller;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.contract.Windows;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A provider that refuses what exceeds a number in flight, and instances that call it, each with a limiter and a control of its
 * own, in virtual time. Calls come by chance, more than the provider accepts, and take times by chance. A rejection takes 20 to
 * 100 ms.
 */
final class RefusingProvider {
    private static final long MS = Windows.MS;

    final List<Instance> instances = new ArrayList<>();
    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 1000 * MS);
    private final SplittableRandom random;
    private final double callMillis;
    private final long step;
    private final double arrivalsPerStep;
    private long accepts;
    private long inFlight;
    private long called;
    private long refused;

    /** What was in flight on average, relative to what the provider accepts, and the share of the calls that it refused. */
    record Measured(double use, double refused) {}

    /**
     * @param accepts the limit of the provider
     * @param callMillis the mean duration of a call, which is exponentially distributed
     * @param perSecond the calls that come
     */
    RefusingProvider(long accepts, double callMillis, double perSecond, long seed) {
        this.accepts = accepts;
        this.callMillis = callMillis;
        this.step = callMillis >= 10_000 ? 10 : 1;
        this.arrivalsPerStep = perSecond / 1000 * step;
        this.random = new SplittableRandom(seed);
    }

    /** An instance that begins with this limit. */
    final class Instance {
        private final ManagedLimiter limiter;
        private final AdaptiveControl control;
        private long held;
        private double heldMillis;

        Instance(long first) {
            limiter = Limiters.builder("provider", new Semaphore(first))
                    .ticker(time)
                    .build();
            control = AdaptiveControl.of(limiter, Aimd.byRejections(), Bounds.of(1, 1_000_000));
        }

        long limit() {
            return control.snapshot().limit();
        }

        private void arrive(long calls) {
            for (long call = 0; call < calls; call++) {
                if (!(limiter.tryAcquire() instanceof Permit permit)) {
                    return; // nor any other that comes at this moment
                }
                call(permit);
            }
        }

        private void call(Permit permit) {
            called++;
            if (inFlight >= accepts) {
                refused++;
                time.alarm(random.nextLong(20 * MS, 100 * MS), () -> permit.release(Outcome.DROPPED));
                return;
            }
            inFlight++;
            held++;
            time.alarm(Math.max(MS, Math.round(callMillis * MS * exponential())), () -> {
                inFlight--;
                held--;
                permit.release(Outcome.SUCCESS);
            });
        }
    }

    private double exponential() {
        return -StrictMath.log(1 - random.nextDouble());
    }

    void join(long first) {
        instances.add(new Instance(first));
    }

    void accept(long number) {
        accepts = number;
    }

    /** The sum of the limits. */
    long limits() {
        return instances.stream().mapToLong(Instance::limit).sum();
    }

    /** The least mean in flight of an instance in the last run, relative to the most. */
    double leastShare() {
        return instances.stream().mapToDouble(one -> one.heldMillis).min().orElseThrow()
                / instances.stream().mapToDouble(one -> one.heldMillis).max().orElseThrow();
    }

    Measured run(double seconds) {
        instances.forEach(one -> one.heldMillis = 0);
        long calledBefore = called;
        long refusedBefore = refused;
        double used = 0;
        long millis = Math.round(seconds * 1000);
        for (long milli = 0; milli < millis; milli += step) {
            time.advance(step * MS);
            for (Instance instance : instances) {
                instance.arrive(arrivals());
                instance.heldMillis += instance.held;
            }
            used += (double) step * inFlight / accepts;
        }
        return new Measured(used / millis, (refused - refusedBefore) / (double) Math.max(1, called - calledBefore));
    }

    private long arrivals() {
        double mean = arrivalsPerStep / instances.size();
        long whole = (long) mean;
        return whole + (random.nextDouble() < mean - whole ? 1 : 0);
    }

    /** The seconds until 0.9 of what the provider accepts is in flight for one, and the limits are at most 1.1 of it. */
    double secondsUntilFound(double most) {
        double seconds = 0;
        while (seconds < most) {
            Measured second = run(1);
            seconds++;
            if (second.use >= 0.9 && limits() <= 1.1 * accepts) {
                return seconds;
            }
        }
        return Double.POSITIVE_INFINITY;
    }
}
