package dev.weir.config.document;

import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.math.BigInteger;

/** A copy of a specification with another number of permits. */
final class ScaledSpec {
    private ScaledSpec() {}

    /** The same with so many permits, and a burst in proportion, which is at least one permit. */
    static StrategySpec of(StrategySpec spec, long permits) {
        if (spec instanceof Keyed keyed) {
            return keyed.withPerKey(of(keyed.perKey(), permits));
        }
        if (spec instanceof TokenBucket bucket) {
            long capacity = Math.max(1, part(bucket.capacity(), permits, bucket.permits()));
            boolean isFull = bucket.initial() == bucket.capacity();
            long initial = isFull ? capacity : Math.min(capacity, part(bucket.initial(), permits, bucket.permits()));
            return new TokenBucket(permits, bucket.period(), capacity, initial, bucket.refill());
        }
        return spec.withLimit(permits);
    }

    /* Rounded down: the parts of all instances add up to no more than the whole. */
    private static long part(long whole, long permits, long all) {
        BigInteger part =
                BigInteger.valueOf(whole).multiply(BigInteger.valueOf(permits)).divide(BigInteger.valueOf(all));
        return part.min(BigInteger.valueOf(1L << 60)).longValueExact();
    }
}
