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

/** The models of specifications. */
public final class Models {
    private Models() {}

    /** The model of a specification with periods of whole microseconds. */
    public static Model of(StrategySpec spec) {
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
            return new AllModel(all.limits().stream().map(Models::of).toList());
        }
        throw new IllegalArgumentException("no model of " + spec);
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
