package dev.weir.spi;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A rate beside a bucket of what was consumed before the last change, or beside one that rises until it is warm: both
 * grant a request, or neither does. Once that bucket is warm and full only the rate is asked.
 */
final class Carried implements Strategy {
    /*
     * The debt is the largest surplus of what was granted over what refilled, by the rates in force. While it lives every
     * grant adds to it, so it stays that; and as its capacity is at least what is owed, the k-th permit comes no later
     * than from an empty successor. Without the rate itself, idleness would earn a burst as large as the debt was.
     *
     * While it rises it refills more slowly than the rate, so it owes the more. Therefore it lives on when it is warm, as
     * any debt, until it has refilled: without it the rate would grant at once what the ramp has just withheld.
     */
    final Strategy inner;
    private final Ticker ticker;
    private volatile @Nullable RampProgress ramp;
    private volatile @Nullable Debt debt;

    private Carried(Strategy inner, Ticker ticker, @Nullable RampProgress ramp) {
        this.inner = inner;
        this.ticker = ticker;
        this.ramp = ramp;
    }

    /** The rate beside a debt of so many permits; the rate itself if there is none, or its figures are not known. */
    static Strategy of(Strategy rate, long permits, Ticker ticker) {
        Strategy inner = rate.ramp() == null ? inner(rate) : rate;
        if (permits <= 0 || inner.flow() == null) {
            return inner;
        }
        Carried carried = inner instanceof Carried rising ? rising : new Carried(inner, ticker, null);
        carried.owe(permits);
        return carried;
    }

    static Strategy rising(Strategy rate, RampProgress ramp) {
        Carried carried = new Carried(rate, ramp.ticker(), ramp);
        if (!ramp.isWarm()) {
            long missing = ramp.limit(ramp.due(), rate.used());
            carried.debt = new Debt(carried.full(), ramp, missing, ramp.ticker().read());
        }
        return carried;
    }

    static Strategy inner(Strategy strategy) {
        return strategy instanceof Carried carried ? carried.inner : strategy;
    }

    private Flow full() {
        return Objects.requireNonNull(inner.flow(), "flow()");
    }

    private synchronized void owe(long permits) {
        long now = ticker.read();
        Debt owed = live(now);
        RampProgress rising = owed != null && owed.isRising() ? ramp : null;
        debt = new Debt(full(), rising, owed == null ? permits : Math.max(permits, owed.missing(now)), now);
    }

    @Override
    public long acquire(Request request) {
        long answer = debt == null && isWarm() ? inner.acquire(request) : acquireBoth(request);
        RampProgress rising = ramp;
        if (rising != null) {
            rising.answered(answer);
        }
        return answer;
    }

    private boolean isWarm() {
        RampProgress rising = ramp;
        return rising == null || rising.step(inner) == RampProgress.STEPS;
    }

    private synchronized long acquireBoth(Request request) {
        long now = ticker.read();
        Debt owed = isWarm() ? live(now) : rising(now);
        return owed == null ? inner.acquire(request) : owed.acquire(inner, request, now);
    }

    private Debt rising(long now) {
        Debt owed = debt;
        if (owed == null) {
            owed = new Debt(full(), ramp, inner.used(), now);
        } else if (!owed.isRising()) {
            owed.at(full(), ramp, now);
        }
        debt = owed;
        return owed;
    }

    private @Nullable Debt live(long now) {
        Debt owed = debt;
        RampProgress rising = ramp;
        if (owed == null || (owed.isRising() && rising != null && !rising.isWarm())) {
            return owed;
        }
        if (owed.isRising()) {
            owed.at(full(), null, now);
        }
        debt = owed.missing(now) == 0 ? null : owed;
        return debt;
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
            if (owed != null) {
                owed.refund(request, grantedAt, now);
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
    public long remaining() {
        long remaining = inner.remaining();
        if (remaining <= 0 || debt == null) {
            return remaining;
        }
        synchronized (this) {
            long now = ticker.read();
            Debt owed = live(now);
            return owed == null ? remaining : Math.min(remaining, owed.room(now));
        }
    }

    @Override
    public @Nullable RampProgress ramp() {
        return ramp;
    }

    @Override
    public @Nullable Flow flow() {
        RampProgress rising = ramp;
        return rising == null ? inner.flow() : rising.flow(rising.due(), full());
    }

    @Override
    public long limit() {
        RampProgress rising = ramp;
        return rising == null ? inner.limit() : rising.limit(rising.due(), inner.limit());
    }

    @Override
    public long target() {
        return inner.target();
    }

    @Override
    public void setLimit(long limit) {
        inner.setLimit(limit);
        adjusted(ramp);
    }

    /** The rate was adjusted in place, and goes on with this ramp. */
    synchronized void adjusted(@Nullable RampProgress next) {
        ramp = next;
        long now = ticker.read();
        Debt owed = debt;
        if (owed != null) {
            owed.at(full(), owed.isRising() ? next : null, now);
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
        return ramp != null || inner.explains();
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return inner.reason(request, answer);
    }

    @Override
    public Map<String, Long> details() {
        Map<String, Long> figures = new TreeMap<>(inner.details());
        RampProgress rising = ramp;
        if (rising != null) {
            figures.put("warmUp.percent", rising.percent());
        }
        figures.put("debt", used());
        return figures;
    }
}
