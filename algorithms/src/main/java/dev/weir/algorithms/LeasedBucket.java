package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Flow;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A token bucket for very high rates: each thread spends from a small batch that its stripe has already taken from the
 * bucket, so that most admissions are one uncontended compare-and-set without a look at the clock. Before it refuses,
 * it gathers what the other stripes hold.
 *
 * <p>The bound is that of the bucket: at most {@code capacity + floor(W * permits / period)} in any window of length W,
 * for what the stripes can hold is set apart from the capacity. In return a burst may fall short by as much, and the
 * largest request is {@code capacity} less that.
 *
 * @param bucket the bucket, with a capacity of at least 2 for each stripe; there are 8 a processor, its count rounded
 *     down to a power of two, and at most 64: 128 is enough on every machine
 * @param batch permits a stripe takes at a time, at least 1; all stripes together at most half the capacity
 */
public record LeasedBucket(TokenBucket bucket, long batch) implements StrategySpec {
    private static final int STRIPES =
            Math.min(64, Integer.highestOneBit(Runtime.getRuntime().availableProcessors()) * 8);

    /** Checks the components. */
    public LeasedBucket {
        Check.within("batch", batch, 1, Math.max(1, bucket.capacity() / 2 / STRIPES));
        Check.within("capacity of a leased bucket", bucket.capacity(), 2L * STRIPES, Check.MOST);
    }

    /** With the largest batch up to 256 that leaves half the capacity in the bucket. */
    static LeasedBucket of(TokenBucket bucket) {
        return new LeasedBucket(bucket, Math.max(1, Math.min(256, bucket.capacity() / 2 / STRIPES)));
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Striped(shared().start(ticker), batch);
    }

    @Override
    public boolean adjust(Strategy running) {
        return running instanceof Striped striped && striped.batch == batch && shared().adjust(striped.bucket);
    }

    /* What is left of the bucket when the stripes are full. */
    private TokenBucket shared() {
        long capacity = bucket.capacity() - batch * STRIPES;
        return new TokenBucket(
                bucket.permits(), bucket.period(), capacity, Math.min(bucket.initial(), capacity), bucket.refill());
    }

    static final class Striped implements Strategy {
        /*
         * A stripe holds 0 to `batch` permits that are already spent as far as the bucket knows, a cache line apart.
         * A permit is in the bucket, in one stripe, or in the hand of one thread on its way; every move is an atomic
         * take followed by a put, so none is ever in two places. A thread that finds no room to put its surplus gives
         * it back to the bucket, which forgets what is above its own capacity; so bucket and stripes together never
         * hold more than the whole capacity, which is what bounds a burst.
         */
        private static final int STRIDE = 16;

        private final Bucket bucket;
        private final long batch;
        private final AtomicLongArray stripes = new AtomicLongArray((STRIPES + 1) * STRIDE);

        private Striped(Bucket bucket, long batch) {
            this.bucket = bucket;
            this.batch = batch;
        }

        @Override
        public long acquire(Request request) {
            long permits = request.permits();
            int own = ((int) Thread.currentThread().getId() & (STRIPES - 1)) * STRIDE;
            for (long held = stripes.get(own); held >= permits; held = stripes.get(own)) {
                if (stripes.compareAndSet(own, held, held - permits)) {
                    return GRANTED;
                }
            }
            return permits > bucket.capacity() ? NEVER : lease(own, permits);
        }

        private long lease(int own, long permits) {
            if (permits + batch <= bucket.capacity() && bucket.acquire(permits + batch) == GRANTED) {
                putBack(put(own, batch));
                return GRANTED;
            }
            return bucket.acquire(permits) == GRANTED ? GRANTED : gather(own, permits);
        }

        private long gather(int own, long permits) {
            long inHand = 0;
            for (int i = 0; i < STRIPES && inHand < permits; i++) {
                inHand += stripes.getAndSet(i * STRIDE, 0);
            }
            long answer = inHand >= permits ? GRANTED : bucket.acquire(permits - inHand);
            long surplus = answer == GRANTED ? Math.max(0, inHand - permits) : inHand;
            for (int i = 0; i < STRIPES && surplus > 0; i++) {
                surplus = put((own + i * STRIDE) & (STRIPES * STRIDE - 1), surplus);
            }
            putBack(surplus);
            return answer;
        }

        private void putBack(long surplus) {
            if (surplus > 0) {
                bucket.putBack(surplus);
            }
        }

        /* Puts as much as fits and returns the rest. */
        private long put(int stripe, long permits) {
            for (; ; ) {
                long held = stripes.get(stripe);
                long fits = Math.min(permits, batch - held);
                if (fits <= 0) {
                    return permits;
                }
                if (stripes.compareAndSet(stripe, held, held + fits)) {
                    return permits - fits;
                }
            }
        }

        @Override
        public void refund(Request request, long grantedAt) {
            bucket.refund(request, grantedAt);
        }

        @Override
        public long limit() {
            return bucket.limit();
        }

        @Override
        public void setLimit(long limit) {
            bucket.setLimit(limit);
        }

        @Override
        public boolean holds() {
            return false;
        }

        @Override
        public long used() {
            return bucket.used();
        }

        @Override
        public Flow flow() {
            return bucket.flow();
        }
    }
}
