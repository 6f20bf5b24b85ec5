package dev.weir.algorithms;

import dev.weir.spi.Strategy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** How many are in flight, and how many may be: the count that is handed on when one algorithm replaces another. */
final class InFlight {
    /*
     * One word, limit:32 | inFlight:32, so that an admission is decided and counted against the limit of the same
     * instant: with the two apart, a thread could read limit 2, sleep through "lowered to 1, released, acquired", and
     * add a second one. Nothing is added speculatively, so nothing has to be taken back. After the limit was lowered
     * inFlight may exceed it; it only falls until it is below.
     */
    static final long MOST = Integer.MAX_VALUE;

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

    InFlight(long limit) {
        word = limit << 32;
    }

    /** Adds {@code permits} if at least {@code reserve} permits stay free, and answers as a strategy does. */
    long acquire(long permits, long reserve) {
        for (; ; ) {
            long w = word;
            long room = (w >>> 32) - reserve;
            if (permits > room - (w & COUNT)) {
                return permits > room ? Strategy.NEVER : Strategy.UNTIL_RELEASE;
            }
            if (WORD.compareAndSet(this, w, w + permits)) {
                return Strategy.GRANTED;
            }
            Thread.onSpinWait();
        }
    }

    /** As {@link #acquire}, keeping so many per cent of the limit of the same instant free, rounded down. */
    long acquireLeaving(long percent, long permits) {
        for (; ; ) {
            long w = word;
            long limit = w >>> 32;
            long room = limit - limit * percent / 100;
            if (permits > room - (w & COUNT)) {
                return permits > room ? Strategy.NEVER : Strategy.UNTIL_RELEASE;
            }
            if (WORD.compareAndSet(this, w, w + permits)) {
                return Strategy.GRANTED;
            }
            Thread.onSpinWait();
        }
    }

    void release(long permits) {
        WORD.getAndAdd(this, -permits);
    }

    long limit() {
        return word >>> 32;
    }

    long count() {
        return word & COUNT;
    }

    void setLimit(long limit) {
        Check.within("limit", limit, 1, MOST);
        for (; ; ) {
            long w = word;
            if (WORD.compareAndSet(this, w, (limit << 32) | (w & COUNT))) {
                return;
            }
        }
    }
}
