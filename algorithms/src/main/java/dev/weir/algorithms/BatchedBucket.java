package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;

/**
 * The specification of a token bucket with stripes that take batches of permits in advance; see {@link TokenBucket#batched(long)}.
 */
record BatchedBucket(TokenBucket bucket, long batch) implements StrategySpec {
    private static final long MAX_BATCH = 256;

    BatchedBucket {
        Check.within("batch", batch, 1, Math.max(1, inStripe(bucket)));
        Check.within("capacity of a batched bucket", bucket.capacity(), 2L * StripedBucket.STRIPES, Check.MAX_PERMITS);
    }

    static BatchedBucket of(TokenBucket bucket) {
        return new BatchedBucket(bucket, Math.max(1, Math.min(MAX_BATCH, inStripe(bucket))));
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
