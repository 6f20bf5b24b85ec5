package dev.weir.succession;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import java.math.BigInteger;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A rate that takes the cost of a request, and that can be charged with more than it has left. */
public final class SettledRate implements PartStrategy, ByCost, IndebtedRate.CarriesDebt {
    /*
     * What is charged is taken from the rate as far as it has that, so that a window counts it. The rest is an overdraft: a bucket
     * at the figures of the rate, in which everything is missing that was granted and charged and has not refilled. It is below
     * zero until what exceeds the burst has refilled, and refuses. It counts grants as well until it is full.
     *
     *     missing   burst + 30  |\                charged: 30 more than were left
     *                           | \
     *               burst       |  \________      paid: the next grants wait for what refills
     *                           |
     *               0           +---------------> time
     *
     * A refund returns what has not refilled since the grant. A bucket alone knows only how much has refilled in that time, which
     * may be all of a small cost while much more is missing all the time. So `lowest` knows how much was missing at least.
     *
     * This object goes through every change from one such limit to another: only the rate in it is replaced, which gets what the
     * one before has used. So what is settled late is settled here. Everything is decided under the monitor, since the rate and the
     * overdraft must agree.
     *
     * For a key, a grant of this may be read before this is made, or be one of the same key before it was evicted. What it had used
     * then is in the rate, which refunds what has not refilled; only of what was missing meanwhile nothing is known.
     */
    /** 146 years: the difference to any reading of the ticker is a long. */
    private static final long LONG_AGO = 1L << 62;

    private static final int ASKED_IN_PERIOD = 64;

    private final Ticker ticker;

    @GuardedBy("this")
    private StrategySpec spec;

    @GuardedBy("this")
    private PartStrategy rate;

    @GuardedBy("this")
    private boolean isOnce;

    @GuardedBy("this")
    private @Nullable Debt overdraft;

    /* When the present figures came into force, and the rate: an earlier grant is not refunded by their rule. */
    @GuardedBy("this")
    private long since;

    @GuardedBy("this")
    private long began;

    @GuardedBy("this")
    private final LowestUse lowest = new LowestUse();

    /** A new rate by cost; {@code isOnce} = a request for more than the burst is granted when nothing is used. */
    public SettledRate(StrategySpec spec, boolean isOnce, Ticker ticker) {
        this.spec = spec;
        this.isOnce = isOnce;
        this.ticker = ticker;
        this.rate = Parts.create(spec, ticker);
        long now = ticker.read();
        this.since = now - LONG_AGO;
        this.began = since;
        lowest.forget(now);
    }

    /** Continues by another specification of a rate, with everything that was spent. */
    public synchronized void changeTo(StrategySpec next, boolean isOnceNow) {
        long now = ticker.read();
        follow(now);
        Account before = ofRate();
        PartStrategy replaced = IndebtedRate.inner(rate);
        rate = Succession.of(isLimitSet() ? Parts.of(spec).withLimit(rate.target()) : spec, rate)
                .next(next, ticker, () -> {}, made -> {})
                .strategy();
        spec = next;
        isOnce = isOnceNow;
        began = IndebtedRate.inner(rate) == replaced ? began : now;
        changedFrom(before, now, false);
    }

    /* Such a limit ends with the part, also where the rate stays the same. */
    @GuardedBy("this")
    private boolean isLimitSet() {
        return Parts.create(spec, ticker).target() != rate.target();
    }

    /* The same bucket at another rate misses as much as before: what it missed since a grant is still known. */
    @GuardedBy("this")
    private void changedFrom(Account before, long now, boolean isSameBucket) {
        Account after = ofRate();
        since = before.withUsed(0).equals(after.withUsed(0)) ? since : now;
        follow(now);
        if (!isSameBucket || before.burst() != after.burst()) {
            lowest.forget(now);
        }
    }

    @Override
    public synchronized PartStrategy rate() {
        return rate;
    }

    @Override
    public synchronized void owe(long permits) {
        rate = IndebtedRate.of(rate, permits, ticker);
        lowest.forget(ticker.read());
    }

    @Override
    public synchronized void oweFor(long nanos) {
        rate = IndebtedRate.lasting(rate, nanos, ticker);
        lowest.forget(ticker.read());
    }

    @Override
    public synchronized long debtNanos() {
        long now = ticker.read();
        follow(now);
        return Math.max(IndebtedRate.debtNanos(rate), overdraft == null ? 0 : overdraft.nanosUntilPaid(now));
    }

    private static Request inPermits(Request request) {
        return request.isSettled() ? request.withPermits(request.amount()) : request;
    }

    @GuardedBy("this")
    private Account ofRate() {
        return Objects.requireNonNull(rate.account(), "account()");
    }

    /* Has the overdraft refill up to this reading, at the figures of the rate. */
    @GuardedBy("this")
    private void follow(long now) {
        rate = IndebtedRate.reduced(rate);
        if (overdraft == null) {
            return;
        }
        Account account = ofRate();
        if (!overdraft.isAt(account)) {
            overdraft.changeTo(account, rate.limit(), now);
            since = now;
        }
        if (overdraft.missing(now) == 0) {
            overdraft = null;
        }
    }

    @Override
    public synchronized long acquire(Request request) {
        long permits = request.amount();
        long now = ticker.read();
        follow(now);
        long answer = rate.acquire(request, permits);
        if (answer == NEVER && isOnce) {
            return acquireOnce(inPermits(request), now);
        }
        if (answer < 0) {
            return answer;
        }
        long wait = overdraft == null ? 0 : overdraft.nanosUntil(permits);
        if (answer == GRANTED && wait == 0) {
            if (overdraft != null) {
                overdraft.take(permits);
            }
            spent(permits, now);
        } else if (answer == GRANTED) {
            Request asked = inPermits(request);
            rate.release(asked, Outcome.CANCELLED);
            rate.refund(asked, now);
        }
        return Math.max(answer, wait);
    }

    @GuardedBy("this")
    private void spent(long permits, long now) {
        if (rate.isSteady()) {
            lowest.add(Math.max(0, missing(now) - permits), now);
        } else {
            lowest.forget(now);
        }
    }

    /* All that was granted and charged and has not refilled, rounded down. */
    @GuardedBy("this")
    private long missing(long now) {
        long used = rate.used();
        return Math.max(0, (overdraft == null ? used : Math.max(used, overdraft.missing(now))) - 1);
    }

    /* What is larger than the burst waits until nothing is used, as the account tells. */
    @GuardedBy("this")
    private long acquireOnce(Request asked, long now) {
        Account account = ofRate();
        if (asked.permits() <= account.burst()) {
            return NEVER;
        }
        long wait = Math.max(account.nanosUntilRefilled(), overdraft == null ? 0 : overdraft.nanosUntilPaid(now));
        if (wait > 0) {
            /* What a window has used does not refill steadily: it is not asked at each instant at which it might have. */
            return rate.isSteady() ? wait : Math.max(wait, account.period() / ASKED_IN_PERIOD);
        }
        charge(asked, now);
        return GRANTED;
    }

    @Override
    public boolean isByCost() {
        return true;
    }

    @Override
    public synchronized boolean charge(Request request) {
        long now = ticker.read();
        follow(now);
        charge(inPermits(request), now);
        return true;
    }

    @GuardedBy("this")
    private void charge(Request asked, long now) {
        long rest = asked.permits() - taken(asked);
        if (overdraft != null) {
            overdraft.take(asked.permits());
        } else if (rest > 0) {
            overdraft = Debt.overdrawn(ofRate(), rate.limit(), rest, rate.ramp() == null ? since : now, now);
        }
        spent(asked.permits(), now);
    }

    /* What the rate had left of these permits, and grants. */
    @GuardedBy("this")
    private long taken(Request asked) {
        if (rate.acquire(asked) == GRANTED) {
            return asked.permits();
        }
        Quota left = rate.quota(asked.withPermits(1));
        long room = left == null ? 0 : Math.min(asked.permits(), left.remaining());
        return room > 0 && rate.acquire(asked.withPermits(room)) == GRANTED ? room : 0;
    }

    @Override
    public synchronized void release(Request request, Outcome outcome) {
        rate.release(inPermits(request), outcome);
    }

    @Override
    public synchronized void refund(Request request, long grantedAt) {
        Request back = inPermits(request);
        long now = ticker.read();
        follow(now);
        long missing = missing(now);
        long whole = rate.isSteady() ? Math.min(back.permits(), lowest.since(grantedAt, missing)) : 0;
        if (whole > 0 && whole >= back.permits() - refilled(now - grantedAt)) {
            refundNotRefilled(back.withPermits(whole), now, now);
        } else {
            refundNotRefilled(back, grantedAt, now);
        }
        long left = missing(now);
        lowest.refunded(Math.max(0, missing - left), grantedAt, left);
    }

    @GuardedBy("this")
    private void refundNotRefilled(Request back, long grantedAt, long now) {
        if (overdraft != null) {
            overdraft.refund(back, grantedAt, now);
        }
        if (grantedAt - began >= 0) {
            rate.refund(back, grantedAt);
        }
    }

    /* What refills in this time, rounded down. */
    @GuardedBy("this")
    private long refilled(long nanos) {
        return nanos <= 0
                ? 0
                : Debt.refilled(ofRate(), nanos, 0)[0]
                        .min(BigInteger.valueOf(Long.MAX_VALUE))
                        .longValue();
    }

    @Override
    public void refundCost(Request back, long grantedAt) {
        refund(back, grantedAt);
    }

    @Override
    public synchronized Account account() {
        long now = ticker.read();
        follow(now);
        Account account = ofRate();
        return overdraft == null ? account : account.withUsed(Math.max(account.used(), overdraft.missing(now)));
    }

    @Override
    public synchronized @Nullable Quota quota(Request request) {
        long now = ticker.read();
        follow(now);
        Quota own = rate.quota(inPermits(request));
        if (own == null || overdraft == null) {
            return own;
        }
        return new Quota(
                own.limit(),
                Math.min(own.remaining(), overdraft.room(now)),
                Math.max(own.resetNanos(), overdraft.nanosUntilPaid(now)),
                own.windowNanos());
    }

    @Override
    public synchronized @Nullable RampProgress ramp() {
        return rate.ramp();
    }

    @Override
    public synchronized long limit() {
        return rate.limit();
    }

    @Override
    public synchronized long target() {
        return rate.target();
    }

    @Override
    public synchronized void setLimit(long limit) {
        long now = ticker.read();
        follow(now);
        Account before = ofRate();
        boolean wasSteady = rate.isSteady();
        rate.setLimit(limit);
        changedFrom(before, now, wasSteady && rate.isSteady());
    }

    @Override
    public Traits traits() {
        return Traits.RATE.explaining(true);
    }

    @Override
    public synchronized Set<Rejection.Reason> reasons() {
        return rate.reasons();
    }

    @Override
    public synchronized Rejection.Reason reason(Request request, long answer) {
        return rate.reason(inPermits(request), answer);
    }

    @Override
    public synchronized Map<String, Long> details() {
        Map<String, Long> figures = new TreeMap<>(rate.details());
        follow(ticker.read());
        figures.put("overdrawn", overdraft == null ? 0 : overdraft.overdrawn());
        return figures;
    }
}
