package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A limit that starts cold: it rises from a floor to the target's full limit over a period, in 256 steps, each taken
 * when somebody asks. It never falls on the way, is never below the floor nor below 1, and is the full limit when the
 * period has passed. The capacity of a bucket stays as it is, so that a batch is granted, cold or warm; where the limit
 * is also the largest request, a batch is told when the ramp will let it in. Limits are whole numbers, rounded up: for
 * a slow rate to start slower, say it by a longer period, 60 a minute instead of 1 a second.
 *
 * <p>While it is cold no refusal is for good unless the full limit would refuse too, and none waits for a release only
 * where a later step may help: such a refusal tells when to ask again.
 *
 * <p>{@link Strategy#limit()} is the limit in force now; {@code setLimit} turns the full one, {@link Strategy#target()}.
 *
 * <p>A change of specification keeps the progress of the ramp, as a part of the period. What was running without one
 * was warm, so wrapping it starts warm. It turns cold again only by idleness, if asked for: when a request comes after
 * nobody has asked or released anything for {@code coolAfterIdle} and nothing is in flight.
 *
 * @param target what warms up; its limit is the first one's if it is several
 * @param period from cold to full, 1 ns to 73 years
 * @param floorPercent the limit to start from, in per cent of the full one, rounded up: 1 to 100
 * @param curve how it rises
 * @param coolAfterIdle after how long unused it is cold again, 1 ns to 73 years; null = never
 */
public record WarmUp(
        StrategySpec target,
        Duration period,
        int floorPercent,
        Curve curve,
        @Nullable Duration coolAfterIdle) implements StrategySpec {
    /*
     * A step is taken under a short lock: first the limit is set, then `step` is published. An attempt reads `step`,
     * asks, and if it was refused reads `step` again. Has it moved, the refusal may be by a limit no longer in force:
     *
     *     attempt                          another
     *     read step 255
     *     ask: refused until a release
     *                                      full limit set; step := 256
     *     read step 256: ask again
     *
     * or it would wait for a release that need not come. Has it not moved, a later step is still to be taken, and the
     * answer is when. A refusal at the last step is by the full limit.
     *
     * A successor takes what is inside (`handOver`); from then on this ramp sets no limits, or a thread that slept here
     * could set one of the past.
     */

    /** How the limit rises from the floor, as a fraction of the full one, over the part of the period that has passed. */
    public enum Curve {
        /** By the same amount each time. */
        LINEAR {
            @Override
            double fraction(double floor, double part) {
                return floor + (1 - floor) * part;
            }
        },
        /** By the same factor each time. */
        EXPONENTIAL {
            @Override
            double fraction(double floor, double part) {
                return Math.pow(floor, 1 - part);
            }
        },
        /**
         * As Guava's {@code RateLimiter} of the same cold factor {@code c = 1 / floor} when it is kept busy: slowly at
         * first, fast at the end. There the interval between permits falls in proportion to the stored permits spent,
         * from {@code c} stable intervals to one: {@code I dI/dt = -(c^2 - 1) / 2W} in units of the stable interval, so
         * {@code I(t)^2 = c^2 - (c^2 - 1) t/W}, and the rate is {@code 1/I} (SmoothRateLimiter.SmoothWarmingUp; c = 3
         * there, that is a floor of 33 per cent).
         */
        GUAVA {
            @Override
            double fraction(double floor, double part) {
                double cold = 1 / floor;
                return 1 / Math.sqrt(cold * cold - (cold * cold - 1) * part);
            }
        };

        abstract double fraction(double floor, double part);
    }

    /** Checks the components. */
    public WarmUp {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(curve, "curve");
        Check.nanos("period", period);
        Check.within("floorPercent", floorPercent, 1, 100);
        if (coolAfterIdle != null) {
            Check.nanos("coolAfterIdle", coolAfterIdle);
        }
    }

    /** A linear one from a third of the limit that never cools. */
    public static WarmUp of(StrategySpec target, Duration period) {
        return new WarmUp(target, period, 33, Curve.LINEAR, null);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return target.create(ticker);
    }
}
