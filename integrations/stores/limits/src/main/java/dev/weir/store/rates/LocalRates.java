package dev.weir.store.rates;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.share.Instances.Place;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a rate that one of several instances may grant, for each key. The parts of all places add up to the limit: even
 * rates are as many times slower as there are instances, and their burst is divided, as the limit of a window is.
 */
public final class LocalRates {
    private static final long KEYS = 10_000;

    private LocalRates() {}

    /**
     * The part for requests with all keys and without a key; null if it is less than one permit.
     *
     * @throws IllegalArgumentException if a store cannot count such a limit, or the part is too slow to be counted
     */
    public static @Nullable StrategySpec of(StrategySpec spec, Place place) {
        StrategySpec part = part(spec instanceof Keyed keyed ? keyed.perKey() : spec, place);
        return part == null ? null : new LocalRate(Keyed.of(part, KEYS));
    }

    private static @Nullable StrategySpec part(StrategySpec spec, Place place) {
        if (spec instanceof TokenBucket bucket) {
            return bucket(bucket.permits(), bucket.period(), bucket.capacity(), place);
        } else if (spec instanceof LeakyBucket bucket) {
            return bucket(bucket.permits(), bucket.period(), bucket.burst() + 1, place);
        } else if (spec instanceof Gcra gcra) {
            return bucket(gcra.permits(), gcra.period(), burst(gcra), place);
        } else if (spec instanceof Pacer pacer) {
            return place.part(1) == 0
                    ? null
                    : new Pacer(pacer.permits(), slower(pacer.period(), place), pacer.largest());
        } else if (spec instanceof SlidingWindow window) {
            long limit = place.part(window.limit());
            return limit == 0 ? null : new SlidingWindow(limit, window.period(), window.blocks());
        } else if (spec instanceof SlidingLog log) {
            long limit = place.part(log.limit());
            return limit == 0 ? null : new SlidingLog(limit, log.period());
        } else if (spec instanceof FixedWindow window) {
            long limit = place.part(window.limit());
            return limit == 0 ? null : new FixedWindow(limit, window.period(), window.alignedTo());
        } else if (spec instanceof FirstHitQuota quota) {
            long limit = place.part(quota.limit());
            return limit == 0 ? null : new FirstHitQuota(limit, quota.window());
        } else if (spec instanceof Ban ban) {
            LeakyBucket bucket = bucket(
                    ban.limit().permits(), ban.limit().period(), ban.limit().burst() + 1, place);
            return bucket == null ? null : new Ban(bucket, ban.time());
        } else if (spec instanceof AllOf all) {
            return all(all, place);
        } else if (spec instanceof Settled settled) {
            StrategySpec rate = part(settled.rate(), place);
            return rate == null ? null : Settled.of(rate);
        }
        throw new IllegalArgumentException(spec + " has no part for one of several instances");
    }

    private static @Nullable StrategySpec all(AllOf all, Place place) {
        List<StrategySpec> parts = new ArrayList<>();
        for (StrategySpec member : all.limits()) {
            StrategySpec part = part(member, place);
            if (part == null) {
                return null;
            }
            parts.add(part);
        }
        return new AllOf(parts);
    }

    private static @Nullable LeakyBucket bucket(long permits, Duration period, long capacity, Place place) {
        long part = place.part(capacity);
        return part == 0 ? null : new LeakyBucket(permits, slower(period, place), part - 1);
    }

    private static Duration slower(Duration period, Place place) {
        return period.multipliedBy(place.count());
    }

    /** The permits that are granted at once. */
    private static long burst(Gcra gcra) {
        long interval = Math.max(1, gcra.period().toNanos() / gcra.permits());
        return 1 + gcra.tolerance().toNanos() / (interval + (gcra.period().toNanos() % gcra.permits() == 0 ? 0 : 1));
    }
}
