package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Holds a small queue, as judged by latency: with the mean latency {@code r} of a window and the least one seen {@code r0},
 * {@code queue = ceil(L (1 - r0/r))}. With {@code g = max(1, floor(log10 L))}: {@code L + 6g} up to a queue of {@code g},
 * {@code L + g} below {@code 3g}, {@code L - g} above {@code 6g} and for a window with losses. From time to time, after
 * {@code 30 L} windows times a random share from a half to one, the present latency becomes {@code r0}, whatever the load.
 *
 * <p>SignalSource: TCP Vegas (Brakmo and Peterson, 1995) as used for services by Netflix's concurrency-limits, windowed.
 *
 * <p>Known weakness: it is as good as {@code r0}. One lucky fast window crushes the limit until the next renewal, a renewal
 * under load ratchets it upwards, and a dependency that grows slower looks like a queue. It takes a step a window, too slow
 * for knees of more than about forty. For small, steady services whose latency hardly scatters.
 *
 * <p>Losses count without demand as well. Its random numbers come from a seed: equal windows have equal answers. Keeps a
 * few numbers; not thread-safe but for {@link #why()}.
 */
public final class Vegas implements Controller {
    private static final String NO_LOAD = "no-load";
    private static final long USUAL_SEED = 0x5EED;
    private static final double RENEWED_EVERY = 30;
    private static final double FEW = 3;
    private static final double MANY = 6;

    private final SplittableRandom random;
    private final FractionalLimit level = new FractionalLimit();
    private final Losses losses = new Losses();
    private double noLoad;
    private double share;
    private double windows;
    private volatile String why = "vegas: nothing yet";

    /** With the usual seed. */
    public Vegas() {
        this(USUAL_SEED);
    }

    /**
     * With another seed, so that a fleet does not renew in step.
     *
     * @param seed any
     */
    public Vegas(long seed) {
        random = new SplittableRandom(seed);
        share = drawn();
    }

    private double drawn() {
        return (1 + random.nextDouble()) / 2;
    }

    @Override
    public long next(Window window, long limit) {
        double present = level.at(limit);
        double step = Math.max(1, Math.floor(StrictMath.log10(present)));
        double latency = window.latencies().mean();
        long lost = losses.in(window);
        if (lost > 0) {
            why = "vegas: " + lost + " lost";
            return level.to(present - step);
        }
        if (!(latency > 0)) {
            why = "vegas: no latencies";
            return level.stay();
        }
        if (renews(latency, present)) {
            why = "vegas: no-load latency now " + micros(latency);
            return level.stay();
        }
        if (!window.hasDemand()) {
            why = "vegas: no demand";
            return level.stay();
        }
        double queue = Math.ceil(present * (1 - noLoad / latency));
        why = "vegas: queue of " + (long) queue + " by " + micros(latency) + " over " + micros(noLoad);
        return level.to(present + change(queue, step));
    }

    private boolean renews(double latency, double present) {
        windows++;
        if (windows >= share * RENEWED_EVERY * present) {
            windows = 0;
            share = drawn();
            noLoad = latency;
            return true;
        }
        if (noLoad == 0 || latency < noLoad) {
            noLoad = latency;
            return true;
        }
        return false;
    }

    private static double change(double queue, double step) {
        if (queue <= step) {
            return MANY * step;
        }
        if (queue < FEW * step) {
            return step;
        }
        return queue > MANY * step ? -step : 0;
    }

    private static String micros(double nanos) {
        return Math.round(nanos / 1000) + " us";
    }

    @Override
    public String why() {
        return why;
    }

    @Override
    public Map<String, Double> learned() {
        return noLoad == 0 ? Map.of() : Map.of(NO_LOAD, noLoad);
    }

    /** Takes the no-load latency up if it is trusted at all; the less it is, the sooner it is renewed. */
    @Override
    public void restore(Map<String, Double> learned, double trust) {
        double holds = RestoredValues.trust(trust);
        double kept = RestoredValues.latency(learned, NO_LOAD);
        if (kept > 0 && holds > 0) {
            noLoad = kept;
            share *= holds;
        }
    }
}
