package dev.weir.store.contract;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.rates.Ban;
import java.math.BigInteger;
import java.time.Duration;

/**
 * What a limit must answer, computed slowly. The server's time is in microseconds. A state changes only when permits are taken
 * or refunded, and when the time is before the last change: then that change counts as made now.
 */
public interface Model {
    /** The model of a specification with periods of whole microseconds. */
    static Model of(StrategySpec spec) {
        if (spec instanceof TokenBucket bucket) {
            return EvenModel.of(bucket.permits(), bucket.period(), bucket.capacity());
        } else if (spec instanceof LeakyBucket bucket) {
            return EvenModel.of(bucket.permits(), bucket.period(), bucket.burst() + 1);
        } else if (spec instanceof Gcra gcra) {
            long interval = (gcra.period().toNanos() - 1) / gcra.permits() + 1;
            long cap = interval + gcra.tolerance().toNanos();
            return new EvenModel(
                    BigInteger.valueOf(1_000),
                    BigInteger.valueOf(interval),
                    BigInteger.valueOf(cap),
                    0,
                    gcra.permits());
        } else if (spec instanceof Pacer pacer) {
            BigInteger interval = BigInteger.valueOf((pacer.period().toNanos() - 1) / pacer.permits() + 1);
            return new EvenModel(BigInteger.valueOf(1_000), interval, interval, pacer.largest(), pacer.permits());
        } else if (spec instanceof FixedWindow window) {
            return new CountModel(window.limit(), micros(window.period()), window.alignedTo() != null);
        } else if (spec instanceof FirstHitQuota quota) {
            return new CountModel(quota.limit(), micros(quota.window()), false);
        } else if (spec instanceof SlidingWindow window) {
            return new BlocksModel(window.limit(), micros(window.period()), window.blocks());
        } else if (spec instanceof SlidingLog log) {
            return new BlocksModel(log.limit(), micros(log.period()));
        } else if (spec instanceof Ban ban) {
            return new BanModel(of(ban.limit()), micros(ban.time()));
        } else if (spec instanceof AllOf all) {
            return new AllModel(all.limits().stream().map(Model::of).toList());
        }
        throw new IllegalArgumentException("no model of " + spec);
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    /** Moves to the time of a request. */
    void moveTo(long now);

    /** Permits that can be granted now. */
    long room();

    /** How many requests for one permit can be granted now. */
    default long oneByOne() {
        return room();
    }

    /** Permits of a window that count now, also beyond its limit. */
    default long used() {
        throw new UnsupportedOperationException();
    }

    /** Microseconds until n permits can be granted. */
    long waitFor(long permits);

    /** Takes permits, or refunds them. */
    void take(long permits);

    /** Told of a request that was refused, or charged beyond what was left. */
    default void exceeded() {}

    long reset();

    long largest();

    long limit();

    /** What a script must answer. */
    default Decision answer(int operation, long permits, long now) {
        moveTo(now);
        if (operation == Decision.ACQUIRE && permits > largest()) {
            return new Decision(0, room(), limit(), reset(), -1);
        }
        long room = room();
        long granted = switch (operation) {
            case Decision.ACQUIRE -> permits <= room ? permits : 0;
            case Decision.ACQUIRE_UP_TO -> Math.min(permits, oneByOne());
            default -> permits;
        };
        if (granted != 0) {
            take(granted);
        }
        if (permits > 0 && (granted < permits || granted > room)) {
            exceeded();
        }
        long wanted = operation == Decision.ACQUIRE ? permits : 1;
        long retry = operation != Decision.CHARGE && granted > 0 && granted == permits ? 0 : waitFor(wanted);
        return new Decision(Math.max(0, granted), room(), limit(), reset(), retry);
    }
}
