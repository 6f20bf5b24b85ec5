package dev.weir.store;

import dev.weir.Ticker;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A detector of high traffic: more requests than a number in a period, from the request that exceeds it until a whole period has
 * passed with no more than that number. Thread-safe.
 */
final class TrafficThreshold {
    private static final class Period {
        private final long start;
        private final boolean wasAbove;
        private final AtomicLong requests = new AtomicLong();

        private Period(long start, boolean wasAbove) {
            this.start = start;
            this.wasAbove = wasAbove;
        }
    }

    private final Ticker ticker;
    private final long most;
    private final long nanos;
    /* Immutable but for its count: a request may count for the period before. */
    private volatile Period current;

    TrafficThreshold(Ticker ticker, long most, long nanos) {
        this.ticker = ticker;
        this.most = most;
        this.nanos = nanos;
        this.current = new Period(ticker.read(), false);
    }

    /** Counts a request, and says whether there are too many. */
    boolean exceeded() {
        return isAbove(period(), 1);
    }

    boolean isExceeded() {
        return isAbove(period(), 0);
    }

    private boolean isAbove(Period period, long more) {
        return period.requests.addAndGet(more) > most || period.wasAbove;
    }

    private Period period() {
        Period period = current;
        return ticker.read() - period.start < nanos ? period : next();
    }

    private synchronized Period next() {
        Period period = current;
        long passed = ticker.read() - period.start;
        if (passed >= nanos) {
            boolean wasAbove = passed < 2 * nanos && period.requests.get() > most;
            period = new Period(period.start + passed / nanos * nanos, wasAbove);
            current = period;
        }
        return period;
    }
}
