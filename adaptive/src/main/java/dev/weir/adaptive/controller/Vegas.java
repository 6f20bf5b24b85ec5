package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A controller that holds a small queue, estimated by latency. With the mean latency {@code r} of a window and the least one so
 * far {@code r0}, {@code queue = ceil(L (1 - r0/r))}. With {@code g = max(1, floor(log10 L))}: {@code L + 6g} up to a queue of
 * {@code g}, {@code L + g} below {@code 3g}, {@code L - g} above {@code 6g} and for a window with losses. From time to time,
 * after {@code 30 L} windows times a random factor from 0.5 to 1, the current latency becomes {@code r0}, whatever the load.
 *
 * <p>Source: TCP Vegas (Brakmo and Peterson, 1995) as used for services by Netflix's concurrency-limits, windowed.
 *
 * <p>Known weakness: it depends on {@code r0}. One unusually fast window lowers the limit too far until the next renewal, a
 * renewal under load raises it too far, and a dependency that becomes slower looks like a queue. It makes one step per
 * window, which is too slow for knees above about forty. It suits small, steady services whose latency varies little.
 *
 * <p>Losses count without demand as well. Its random numbers come from a seed: the same windows give the same limits. Not
 * thread-safe except {@link #why()}, which any thread may call.
 */
public final class Vegas implements Controller {
    private static final String NO_LOAD = "no-load";
    private static final long DEFAULT_SEED = 0x5EED;
    private static final double RENEWAL = 30;
    private static final double FEW = 3;
    private static final double MANY = 6;

    private final SplittableRandom random;
    private final FractionalLimit current = new FractionalLimit("vegas");
    private final Losses losses = new Losses();
    private double noLoad;
    private double share;
    private double windows;

    /** A controller with the default seed. */
    public Vegas() {
        this(DEFAULT_SEED);
    }

    /**
     * With this seed; instances with different seeds do not renew at the same time.
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
        double exact = current.at(limit);
        double step = Math.max(1, Math.floor(StrictMath.log10(exact)));
        double latency = window.latencies().mean();
        long lost = losses.in(window);
        if (lost > 0) {
            return current.to(exact - step, lost + " lost");
        }
        if (!(latency > 0)) {
            return current.stay("no latencies");
        }
        if (renews(latency, exact)) {
            return current.stay("no-load latency now " + micros(latency));
        }
        if (!window.hasDemand()) {
            return current.stay("no demand");
        }
        double queue = Math.ceil(exact * (1 - noLoad / latency));
        return current.to(
                exact + change(queue, step),
                "queue of " + (long) queue + " by " + micros(latency) + " over " + micros(noLoad));
    }

    private boolean renews(double latency, double exact) {
        windows++;
        if (windows >= share * RENEWAL * exact) {
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
        return current.why();
    }

    @Override
    public Map<String, Double> learned() {
        return noLoad == 0 ? Map.of() : Map.of(NO_LOAD, noLoad);
    }

    /** Restores the no-load latency if the trust is more than 0; the less trust, the sooner it is renewed. */
    @Override
    public void restore(Map<String, Double> learned, double trust) {
        double trusted = RestoredValues.trust(trust);
        double saved = RestoredValues.latency(learned, NO_LOAD);
        if (saved > 0 && trusted > 0) {
            noLoad = saved;
            share *= trusted;
        }
    }
}
