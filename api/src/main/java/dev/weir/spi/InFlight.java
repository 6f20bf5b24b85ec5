package dev.weir.spi;

import dev.weir.Outcome;
import dev.weir.Request;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How many permits are in flight, and how many may be: a counting semaphore, and the count that concurrency limits hand
 * on when one replaces another, so that the bound holds across the swap. Thread-safe and lock-free.
 */
public final class InFlight implements Strategy {
    /*
     * One word, limit:32 | inFlight:32, so that an admission is decided and counted against the limit of the same
     * instant: with the two apart, a thread could read limit 2, sleep through "lowered to 1, released, acquired", and
     * add a second one. Nothing is added speculatively, so nothing has to be taken back. After the limit was lowered
     * inFlight may exceed it; it only falls until it is below.
     */

    /** The largest limit. */
    public static final long MOST = Integer.MAX_VALUE;

    private static final long COUNT = 0xFFFF_FFFFL;
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(InFlight.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
        // Links the method handles, which takes more stack than a return may find left later.
        new InFlight(1).release(0);
    }

    private volatile long word;

    /**
     * Nothing in flight.
     *
     * @throws IllegalArgumentException if {@code limit} is not within 1 and {@link #MOST}
     */
    public InFlight(long limit) {
        word = checked(limit) << 32;
    }

    private static long checked(long limit) {
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException("limit must be >= 1 and <= " + MOST + ", was " + limit);
        }
        return limit;
    }

    @Override
    public long acquire(Request request) {
        return acquire(request.permits(), 0);
    }

    /** Takes so many permits if that leaves {@code reserve} free. */
    public long acquire(long permits, long reserve) {
        for (; ; ) {
            long w = word;
            long room = (w >>> 32) - reserve;
            if (permits > room - (w & COUNT)) {
                return permits > room ? NEVER : UNTIL_RELEASE;
            }
            if (WORD.compareAndSet(this, w, w + permits)) {
                return GRANTED;
            }
            Thread.onSpinWait();
        }
    }

    /** Takes so many permits if that leaves so many per cent of the limit of the same instant free, rounded down. */
    public long acquireLeaving(long percent, long permits) {
        for (; ; ) {
            long w = word;
            long limit = w >>> 32;
            long room = limit - limit * percent / 100;
            if (permits > room - (w & COUNT)) {
                return permits > room ? NEVER : UNTIL_RELEASE;
            }
            if (WORD.compareAndSet(this, w, w + permits)) {
                return GRANTED;
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void release(Request request, Outcome outcome) {
        release(request.permits());
    }

    /** Gives so many permits back; they must have been taken. */
    public void release(long permits) {
        WORD.getAndAdd(this, -permits);
    }

    @Override
    public long limit() {
        return word >>> 32;
    }

    @Override
    public void setLimit(long limit) {
        long high = checked(limit) << 32;
        long w = word;
        while (!WORD.compareAndSet(this, w, high | (w & COUNT))) {
            w = word;
        }
    }

    @Override
    public long inFlight() {
        return word & COUNT;
    }

    @Override
    public long remaining() {
        long w = word;
        return Math.max(0, (w >>> 32) - (w & COUNT));
    }
}
