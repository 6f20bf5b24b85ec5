package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.RefillRate;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import java.util.concurrent.atomic.AtomicLong;
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
         * Whoever is going to fill it, or to gather from it, first closes it, by complementing what it holds: until it is
         * opened nobody else takes from it or fills it. So what is in a thread's hand still fills its stripe, however
         * long the thread sleeps, and bucket and stripes together never hold more than the whole capacity; that is what
         * bounds a burst. Whoever meets a closed stripe asks the bucket.
         */
        private static final int STRIDE = 16;

        private final Bucket bucket;
        private final long batch;
        private final AtomicLongArray stripes = new AtomicLongArray((STRIPES + 1) * STRIDE);
        private final AtomicLong everFilled = new AtomicLong();

        private Striped(Bucket bucket, long batch) {
            this.bucket = bucket;
            this.batch = batch;
        }

        @Override
        public long acquire(Request request) {
            long permits = request.permits();
            int own = (int) Thread.currentThread().getId() & (STRIPES - 1);
            for (long held = held(own); held >= permits; held = held(own)) {
                if (stripes.compareAndSet(own * STRIDE, held, held - permits)) {
                    return GRANTED;
                }
            }
            if (permits > bucket.capacity()) {
                return NEVER;
            }
            boolean granted = fill(own, permits) || bucket.acquire(permits) == GRANTED;
            return granted ? GRANTED : gather(permits);
        }

        private long held(int stripe) {
            return stripes.get(stripe * STRIDE);
        }

        private boolean close(int stripe, long held) {
            return held >= 0 && stripes.compareAndSet(stripe * STRIDE, held, ~held);
        }

        private void open(int stripe, long held) {
            stripes.set(stripe * STRIDE, held);
        }

        /* Takes a batch for the stripe together with the permits. */
        private boolean fill(int own, long permits) {
            long held = held(own);
            if (!close(own, held)) {
                return false;
            }
            boolean granted = false;
            try {
                long wanted = permits + batch - held;
                granted = wanted <= bucket.capacity() && bucket.acquire(wanted) == GRANTED;
                if (granted) {
                    everFilled.getAndUpdate(filled -> filled | 1L << own);
                }
            } finally {
                open(own, granted ? batch : held);
            }
            return granted;
        }

        private long gather(long permits) {
            long closed = 0;
            long inHand = 0;
            long spent = 0;
            try {
                for (int i = 0; i < STRIPES && inHand < permits; i++) {
                    long held = held(i);
                    if (held > 0 && close(i, held)) {
                        closed |= 1L << i;
                        inHand += held;
                    }
                }
                long answer = inHand >= permits ? GRANTED : bucket.acquire(permits - inHand);
                spent = answer == GRANTED ? Math.min(permits, inHand) : 0;
                return answer;
            } finally {
                for (int i = 0; closed >>> i != 0; i++) {
                    if ((closed >>> i & 1) != 0) {
                        long held = ~held(i);
                        long taken = Math.min(held, spent);
                        spent -= taken;
                        open(i, held - taken);
                    }
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
        public Traits traits() {
            return Traits.RATE;
        }

        /* What has left a stripe since it was filled may have been granted after the bucket had refilled. */
        @Override
        public long used() {
            return bucket.used() + Long.bitCount(everFilled.get()) * batch - inStripes();
        }

        private long inStripes() {
            long held = 0;
            for (int i = 0; i < STRIPES; i++) {
                held += held(i) < 0 ? ~held(i) : held(i);
            }
            return held;
        }

        @Override
        public long remaining() {
            return bucket.remaining() + inStripes();
        }

        @Override
        public RefillRate refillRate() {
            RefillRate shared = bucket.refillRate();
            return new RefillRate(shared.permits(), shared.period(), shared.burst() + batch * STRIPES);
        }
    }
}
