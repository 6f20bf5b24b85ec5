package dev.weir.spi;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A rate beside what was consumed before the last change: both grant a request, or neither does. Once the debt has
 * refilled only the rate is asked.
 */
final class Carried implements Strategy {
    /*
     * The debt is the largest surplus of what was granted over what refilled, by the rates in force. While it lives every
     * grant adds to it, so it stays that; and as its capacity is at least what is owed, the k-th permit comes no later
     * than from an empty successor. Without the rate itself, idleness would earn a burst as large as the debt was.
     */
    final Strategy inner;
    private final Ticker ticker;
    private final long since;
    private volatile @Nullable Debt debt;

    private Carried(Strategy inner, Debt debt, long since, Ticker ticker) {
        this.inner = inner;
        this.ticker = ticker;
        this.since = since;
        this.debt = debt;
    }

    /** The rate beside a debt of so many permits; the rate itself if there is none, or its figures are not known. */
    static Strategy of(Strategy rate, long permits, Ticker ticker) {
        Flow flow = rate.flow();
        if (permits <= 0 || flow == null) {
            return rate;
        }
        long now = ticker.read();
        return new Carried(rate, new Debt(flow, permits, now), now, ticker);
    }

    /** The rate beside a debt that refills in so many nanoseconds. */
    static Strategy lasting(Strategy rate, long nanos, Ticker ticker) {
        Flow flow = rate.flow();
        if (nanos <= 0 || flow == null) {
            return rate;
        }
        long now = ticker.read();
        return new Carried(rate, Debt.lasting(flow, nanos, now), now, ticker);
    }

    /** In how many nanoseconds the debt has refilled; 0 = there is none. */
    long nanosLeft() {
        if (debt == null) {
            return 0;
        }
        synchronized (this) {
            long now = ticker.read();
            Debt owed = live(now);
            return owed == null ? 0 : owed.nanosLeft(now);
        }
    }

    /** Whether the debt was found to have refilled. */
    boolean isPaid() {
        return debt == null;
    }

    static Strategy inner(Strategy strategy) {
        return strategy instanceof Carried carried ? carried.inner : strategy;
    }

    @Override
    public long acquire(Request request) {
        return debt == null ? inner.acquire(request) : acquireBoth(request);
    }

    private synchronized long acquireBoth(Request request) {
        long now = ticker.read();
        Debt owed = live(now);
        long answer = inner.acquire(request);
        if (owed == null || answer < 0) {
            return answer;
        }
        long wait = owed.nanosUntil(request.permits());
        if (answer == GRANTED && wait == 0) {
            owed.take(request.permits());
        } else if (answer == GRANTED) {
            inner.release(request, Outcome.CANCELLED);
            inner.refund(request, now);
        }
        return Math.max(answer, wait);
    }

    private @Nullable Debt live(long now) {
        Debt owed = debt;
        if (owed != null && owed.missing(now) == 0) {
            debt = null;
            return null;
        }
        return owed;
    }

    @Override
    public void release(Request request, Outcome outcome) {
        inner.release(request, outcome);
    }

    /** What was granted before the change is not given back to the debt. */
    @Override
    public void refund(Request request, long grantedAt) {
        inner.refund(request, grantedAt);
        if (debt == null) {
            return;
        }
        synchronized (this) {
            long now = ticker.read();
            Debt owed = live(now);
            if (owed != null && grantedAt - since >= 0 && now - grantedAt >= 0) {
                owed.giveBack(request.permits(), now - grantedAt);
            }
        }
    }

    @Override
    public long used() {
        if (debt != null) {
            synchronized (this) {
                long now = ticker.read();
                Debt owed = live(now);
                if (owed != null) {
                    return owed.missing(now);
                }
            }
        }
        return inner.used();
    }

    @Override
    public @Nullable Flow flow() {
        return inner.flow();
    }

    @Override
    public long limit() {
        return inner.limit();
    }

    @Override
    public long target() {
        return inner.target();
    }

    @Override
    public void setLimit(long limit) {
        inner.setLimit(limit);
        adjusted();
    }

    /** The rate was adjusted in place. */
    synchronized void adjusted() {
        Flow flow = inner.flow();
        long now = ticker.read();
        Debt owed = live(now);
        if (owed != null && flow != null) {
            owed.at(flow, now);
        }
    }

    @Override
    public boolean holds() {
        return false;
    }

    @Override
    public boolean refunds() {
        return inner.refunds();
    }

    @Override
    public boolean explains() {
        return inner.explains();
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return inner.reason(request, answer);
    }

    @Override
    public Map<String, Long> details() {
        Map<String, Long> figures = new TreeMap<>(inner.details());
        figures.put("debt", used());
        return figures;
    }
}
