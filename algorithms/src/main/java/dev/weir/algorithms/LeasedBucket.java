package dev.weir.algorithms;

import dev.weir.succession.PartSpec;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;

/**
 * The specification of a token bucket with stripes that take batches of permits in advance; see {@link TokenBucket#leased(long)}.
 */
record LeasedBucket(TokenBucket bucket, long batch) implements PartSpec {
    private static final long MAX_BATCH = 256;

    LeasedBucket {
        Check.within("batch", batch, 1, Math.max(1, inStripe(bucket)));
        Check.within("capacity of a leased bucket", bucket.capacity(), 2L * StripedBucket.STRIPES, Check.MAX_PERMITS);
    }

    static LeasedBucket of(TokenBucket bucket) {
        return new LeasedBucket(bucket, Math.max(1, Math.min(MAX_BATCH, inStripe(bucket))));
    }

    private static long inStripe(TokenBucket bucket) {
        return bucket.capacity() / 2 / StripedBucket.STRIPES;
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new StripedBucket(shared().start(ticker), batch);
    }

    @Override
    public boolean adjust(Strategy running) {
        return running instanceof StripedBucket striped && striped.adjusted(shared(), batch);
    }

    /* What is left of the bucket when the stripes are full. */
    private TokenBucket shared() {
        long capacity = bucket.capacity() - batch * StripedBucket.STRIPES;
        return new TokenBucket(
                bucket.permits(), bucket.period(), capacity, Math.min(bucket.initial(), capacity), bucket.refill());
    }
}
