package dev.weir.algorithms;

import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.succession.PartStrategy;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A bucket from which stripes take batches of permits in advance; see {@link TokenBucket#batched(long)}. A stripe is a cell with
 * permits for the threads whose ids select it, so that threads seldom write to the same cache line.
 */
final class StripedBucket implements PartStrategy {
    /*
     * A stripe holds 0 to `batch` permits that the bucket counts as spent. Stripes are one cache line apart. A thread that
     * fills a stripe, or gathers from it, first closes it by inverting all bits of its value: until it is opened again, no
     * other thread takes from it or fills it. So permits that a thread has gathered still occupy their stripe, however long
     * the thread is delayed, and bucket and stripes together never hold more than the whole capacity; that bounds a burst.
     * A thread that finds its stripe closed asks the bucket.
     */
    static final int STRIPES =
            Math.min(64, Integer.highestOneBit(Runtime.getRuntime().availableProcessors()) * 8);
    private static final int STRIDE = 16;

    private final RateBucket bucket;
    private final long batch;
    private final AtomicLongArray stripes = new AtomicLongArray((STRIPES + 1) * STRIDE);
    /* Bits are set while the stripe is closed, and never cleared: that makes more count as used. */
    private final AtomicLong everFilled = new AtomicLong();

    StripedBucket(RateBucket bucket, long batch) {
        this.bucket = bucket;
        this.batch = batch;
    }

    boolean adjusted(StrategySpec shared, long toBatch) {
        return toBatch == batch && shared.adjust(bucket);
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

    /* Takes a batch for the stripe and the permits of the request at once. */
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
        long gathered = 0;
        long spent = 0;
        try {
            for (int i = 0; i < STRIPES && gathered < permits; i++) {
                long held = held(i);
                if (held > 0 && close(i, held)) {
                    closed |= 1L << i;
                    gathered += held;
                }
            }
            long answer = gathered >= permits ? GRANTED : bucket.acquire(permits - gathered);
            spent = answer == GRANTED ? Math.min(permits, gathered) : 0;
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

    /** Refunds what fits, and has not refilled since, to the stripe, and the rest to the bucket if that is not full. */
    @Override
    public void refund(Request request, long grantedAt) {
        long put = putBack(bucket.notRefilled(request.permits(), grantedAt));
        if (put < request.permits()) {
            bucket.refund(Request.of(request.permits() - put), grantedAt);
        }
    }

    private long putBack(long permits) {
        int own = (int) Thread.currentThread().getId() & (STRIPES - 1);
        boolean isFilled = (everFilled.get() >>> own & 1) != 0;
        for (long held = held(own); isFilled && held >= 0; held = held(own)) {
            long put = Math.min(permits, batch - held);
            if (stripes.compareAndSet(own * STRIDE, held, held + put)) {
                return put;
            }
        }
        return 0;
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

    /* What was taken from a stripe since it was filled may have been granted after the bucket had refilled. */
    @Override
    public Account account() {
        Account shared = bucket.account();
        long used = shared.used() + Long.bitCount(everFilled.get()) * batch - inStripes();
        return new Account(shared.permits(), shared.period(), shared.burst() + batch * STRIPES, used);
    }

    private long inStripes() {
        long held = 0;
        for (int i = 0; i < STRIPES; i++) {
            long one = held(i);
            held += Math.max(one, ~one); // one of them is what it holds, open or closed
        }
        return held;
    }

    @Override
    public Quota quota(Request request) {
        Quota shared = bucket.quota(request);
        return new Quota(shared.limit(), shared.remaining() + inStripes(), shared.resetNanos(), shared.windowNanos());
    }

    /** The specification of a {@link TokenBucket#batched(long) batched} token bucket. */
    record BatchedBucket(TokenBucket bucket, long batch) implements StrategySpec {
        private static final long MAX_BATCH = 256;

        BatchedBucket {
            Check.within("batch", batch, 1, Math.max(1, inStripe(bucket)));
            Check.within("capacity of a batched bucket", bucket.capacity(), 2L * STRIPES, Check.MAX_PERMITS);
        }

        static BatchedBucket of(TokenBucket bucket) {
            return new BatchedBucket(bucket, Math.max(1, Math.min(MAX_BATCH, inStripe(bucket))));
        }

        private static long inStripe(TokenBucket bucket) {
            return bucket.capacity() / 2 / STRIPES;
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
            long capacity = bucket.capacity() - batch * STRIPES;
            return new TokenBucket(
                    bucket.permits(), bucket.period(), capacity, Math.min(bucket.initial(), capacity), bucket.refill());
        }
    }
}
