package dev.weir.share;

import dev.weir.engine.ManagedLimiter;
import dev.weir.internal.Durations;
import dev.weir.internal.Require;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * The rule by which an instance gets its share of a quota. Each instance says it for itself, and all compute the same from what
 * all said; so they need not be the same, but should be.
 */
public sealed interface Division {
    /** An equal share: as much as every other instance with {@code Equal}; the weight is 1. */
    record Equal() implements Division {}

    /**
     * A share in proportion to a weight.
     *
     * @param weight 1 to 2^30
     */
    record Weighted(long weight) implements Division {
        /**
         * @throws IllegalArgumentException if the weight is out of its range
         */
        public Weighted {
            Require.that(weight >= 1 && weight <= Row.MAX_WEIGHT, "weight must be 1 to 2^30", weight);
        }
    }

    /**
     * A share by demand: capacity that others do not need is lent, and called back when they need it. If all need more than the
     * quota, each gets the same; if it is less, the rest is divided evenly. An instance without demand keeps a fiftieth of an even
     * share, but at least 1, so that it can begin at once and its demand can be seen to grow: of a quota of at least 50 for each
     * instance, all of them together keep at most 2 %.
     *
     * @param demand what this instance needs now, in the unit of the quota. Asked about three times per lease; must not block.
     *     Less than 0 counts as 0; if it throws, the last one stays
     */
    record ByDemand(LongSupplier demand) implements Division {
        /** Checks the component. */
        public ByDemand {
            Objects.requireNonNull(demand, "demand");
        }
    }

    /** The division {@link Equal}: every instance gets the same. */
    static Division equal() {
        return new Equal();
    }

    /**
     * {@link Weighted}.
     *
     * @throws IllegalArgumentException if the weight is not 1 to 2^30
     */
    static Division weighted(long weight) {
        return new Weighted(weight);
    }

    /** The division {@link ByDemand}: by what each instance needs. */
    static Division byDemand(LongSupplier demand) {
        return new ByDemand(demand);
    }

    /**
     * {@link ByDemand}, by what this limiter was asked for since the last time: requests per period if it is a rate, and if it
     * limits concurrency the requests in flight, and in proportion more if some were refused. Requests for several permits count
     * as one. A demand that falls is followed by a quarter at a time.
     *
     * @param period that of the quota of a rate; has no effect if the limiter limits concurrency
     * @throws IllegalArgumentException if the period is not positive
     */
    static Division byDemand(ManagedLimiter limiter, Duration period) {
        Durations.positive("period", period);
        return new ByDemand(new MeasuredDemand(limiter, period.toNanos()));
    }
}
