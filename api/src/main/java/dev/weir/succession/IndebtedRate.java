package dev.weir.succession;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Traits;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A rate with a debt, a bucket of what was consumed before the last change, and with a slow bucket, which rises until it is
 * warm. A request is granted by all of them or by none. Once the buckets are warm and full only the rate is asked.
 */
public final class IndebtedRate implements PartStrategy {
    /*
     * The debt is the largest surplus of what was granted over what refilled, at the rates in force. While there is a debt
     * every grant adds to it, so this stays true. Its capacity is at least what is owed, so the k-th permit comes no later
     * than from an empty successor. The rate itself is asked too, because otherwise a burst as large as the debt would be
     * granted after a time without requests.
     *
     * While the ramp is cold the rate refills too fast, so a second bucket counts as well, whose figures rise. It refills
     * more slowly and owes more. Therefore it is kept after the ramp is warm until it has refilled: without it the rate
     * would grant at once what the ramp has just withheld.
     */
    /** A strategy that puts debts beside the rate inside it, and stays itself. */
    interface CarriesDebt {
        /** Adds a debt of this many permits. */
        void owe(long permits);

        /** Adds a debt that refills in this many nanoseconds. */
        void oweFor(long nanos);

        /** In how many nanoseconds all debts will have refilled. */
        long debtNanos();

        /** The rate inside it. */
        PartStrategy rate();
    }

    final PartStrategy inner;
    private final Ticker ticker;
    private final Traits traits;
    private volatile @Nullable RampProgress ramp;
    /* Both are null once refilled; until then requests are serial, under the monitor. */
    private volatile @Nullable Debt debt;
    private volatile @Nullable Debt slow;

    private IndebtedRate(PartStrategy inner, Ticker ticker, @Nullable RampProgress ramp) {
        this.inner = inner;
        this.ticker = ticker;
        Traits own = inner.traits();
        this.traits = Traits.RATE.refunding(own.refunds()).explaining(own.explains());
        this.ramp = ramp;
    }

    /** The rate with a debt of this many permits; the rate itself if there is no debt, or it has no account. */
    public static PartStrategy of(PartStrategy rate, long permits, Ticker ticker) {
        if (rate instanceof CarriesDebt carrier) {
            carrier.owe(permits);
            return rate;
        }
        PartStrategy inner = rate.ramp() == null ? inner(rate) : rate;
        if (permits <= 0 || inner.account() == null) {
            return inner;
        }
        IndebtedRate carried = inner instanceof IndebtedRate rising ? rising : new IndebtedRate(inner, ticker, null);
        carried.owe(permits);
        return carried;
    }

    /**
     * The rate with a debt that refills in this many nanoseconds at its present figures; the rate itself if there is none. One with
     * a {@linkplain PartStrategy#ramp() ramp} gets the debt itself and is returned.
     */
    public static PartStrategy lasting(PartStrategy rate, long nanos, Ticker ticker) {
        if (rate instanceof CarriesDebt carrier) {
            carrier.oweFor(nanos);
            return rate;
        }
        Account figures = rate.account();
        if (nanos <= 0 || figures == null) {
            return rate;
        }
        long now = ticker.read();
        Debt debt = Debt.lasting(figures, rate.limit(), nanos, now);
        if (rate.ramp() != null) {
            return of(rate, debt.missing(now), ticker);
        }
        IndebtedRate carried = new IndebtedRate(inner(rate), ticker, null);
        carried.debt = debt;
        return carried;
    }

    /** In how many nanoseconds at its present figures the debt of a strategy will have refilled; 0 if there is none. */
    public static long debtNanos(PartStrategy strategy) {
        if (strategy instanceof CarriesDebt carrier) {
            return carrier.debtNanos();
        }
        return strategy instanceof IndebtedRate carried ? carried.nanosUntilPaid() : 0;
    }

    private synchronized long nanosUntilPaid() {
        long now = ticker.read();
        refill(now);
        return most(bucket -> bucket.nanosUntilPaid(now));
    }

    /** The strategy without its debt, if an earlier request found that refilled; otherwise the strategy itself. */
    public static PartStrategy reduced(PartStrategy strategy) {
        return strategy instanceof IndebtedRate carried && carried.isPaid() ? carried.inner : strategy;
    }

    /* It does the same as the rate alone, now and later. */
    private boolean isPaid() {
        return debt == null && slow == null && ramp == null;
    }

    /**
     * The rate with a bucket whose rate and capacity rise with the ramp until it is warm. They are shares of the {@link
     * PartStrategy#account() account} of the rate, which must not be null.
     */
    public static PartStrategy rising(PartStrategy rate, RampProgress ramp) {
        IndebtedRate carried = new IndebtedRate(rate, ramp.ticker(), ramp);
        if (!ramp.isWarm()) {
            long used = ramp.limit(ramp.due(), carried.full().used());
            carried.slow = carried.bucket(ramp, used, ramp.ticker().read());
        }
        return carried;
    }

    /** The strategy without its debts, whatever is left of them, as its algorithm made it; the strategy itself if there is none. */
    public static PartStrategy inner(PartStrategy strategy) {
        if (strategy instanceof CarriesDebt carrier) {
            return inner(carrier.rate());
        }
        return strategy instanceof IndebtedRate carried ? carried.inner : strategy;
    }

    private Debt bucket(@Nullable RampProgress rising, long missing, long now) {
        return new Debt(full().withUsed(missing), inner.limit(), rising, now);
    }

    /* The account of the rate alone, at its full limit. */
    private Account full() {
        return Objects.requireNonNull(inner.account(), "account()");
    }

    private synchronized void owe(long permits) {
        long now = ticker.read();
        refill(now);
        long max = Math.max(permits, owed(now));
        RampProgress rising = ramp;
        if (slow != null && slow.isRising() && rising != null) {
            begin(rising, max, slow.missing(now), now);
        } else {
            debt = bucket(null, max, now);
        }
    }

    /* The slow bucket never holds more than its burst; what is owed above that is a debt beside it. */
    private void begin(RampProgress rising, long max, long ofSlow, long now) {
        long burst = rising.account(rising.due(), full(), inner.limit()).burst();
        slow = bucket(rising, max <= burst ? max : Math.min(ofSlow, burst), now);
        debt = max <= burst ? null : bucket(rising, max, now);
    }

    @Override
    public long acquire(Request request) {
        long answer = debt == null && slow == null && isWarm() ? inner.acquire(request) : acquireAll(request);
        RampProgress rising = ramp;
        if (rising != null) {
            rising.answered(answer);
        }
        return answer;
    }

    private boolean isWarm() {
        RampProgress rising = ramp;
        return rising == null || rising.step(() -> 0) == RampProgress.STEPS;
    }

    private synchronized long acquireAll(Request request) {
        long now = ticker.read();
        refill(now); // at the figures of before, which are over if the ramp becomes cold
        buckets().forEach(Debt::keepSize);
        if (!isWarm()) {
            beginCold(now);
        }
        refill(now);
        long answer = inner.acquire(request);
        if (answer < 0) {
            return answer;
        }
        long wait = most(bucket -> bucket.nanosUntil(request.permits()));
        if (answer == GRANTED && wait == 0) {
            buckets().forEach(bucket -> bucket.take(request.permits()));
        } else if (answer == GRANTED) {
            inner.release(request, Outcome.CANCELLED);
            inner.refund(request, now);
        }
        return Math.max(answer, wait);
    }

    /* What has refilled of the next permit stays, and how many fit beside what is owed above the burst: otherwise requests that come
    one by one, each after the ramp has become cold again, would never be granted. */
    private void beginCold(long now) {
        RampProgress rising = ramp;
        if (rising == null || (slow != null && slow.isRising() && !slow.isOutdated())) {
            return;
        }
        long max = Math.max(owed(now), full().used());
        Debt before = missing(max);
        begin(rising, max, 0, now);
        Debt next = debt == null ? slow : debt;
        if (before != null && next != null && max > 0) {
            next.keepPartOf(before, next == debt);
        }
    }

    private @Nullable Debt missing(long permits) {
        return buckets().stream()
                .filter(bucket -> bucket.missing() == permits)
                .findFirst()
                .orElse(null);
    }

    /* Refills both up to this reading. A bucket that is warm and full is removed. */
    private void refill(long now) {
        debt = refill(debt, now);
        slow = refill(slow, now);
    }

    private @Nullable Debt refill(@Nullable Debt bucket, long now) {
        RampProgress rising = ramp;
        if (bucket == null) {
            return null;
        }
        boolean isWarm = rising == null || rising.isWarm();
        if (bucket.isRising() && isWarm) {
            bucket.changeTo(full(), inner.limit(), now);
        }
        boolean isFull = bucket.missing(now) == 0;
        return isFull && (isWarm || bucket == debt) ? null : bucket;
    }

    private long owed(long now) {
        return most(bucket -> bucket.missing(now));
    }

    private long most(ToLongFunction<Debt> figure) {
        return buckets().stream().mapToLong(figure).max().orElse(0);
    }

    /* The debt and the slow bucket, those of them that exist. */
    private List<Debt> buckets() {
        Debt owed = debt;
        Debt rising = slow;
        if (owed == null || rising == null) {
            Debt one = owed == null ? rising : owed;
            return one == null ? List.of() : List.of(one);
        }
        return List.of(owed, rising);
    }

    @Override
    public void release(Request request, Outcome outcome) {
        inner.release(request, outcome);
    }

    /** Refunds to the debt nothing that was granted before the change. */
    @Override
    public void refund(Request request, long grantedAt) {
        inner.refund(request, grantedAt);
        if (debt != null || slow != null) {
            synchronized (this) {
                long now = ticker.read();
                buckets().forEach(bucket -> bucket.refund(request, grantedAt, now));
            }
        }
    }

    @Override
    public @Nullable Quota quota(Request request) {
        Quota own = inner.quota(request);
        RampProgress rising = ramp;
        if (own == null || (debt == null && slow == null && rising == null)) {
            return own;
        }
        synchronized (this) {
            long now = ticker.read();
            refill(now);
            long limit = rising == null ? own.limit() : rising.limit(rising.due(() -> 0), inner.limit());
            long room = buckets().stream().mapToLong(bucket -> bucket.room(now)).reduce(own.remaining(), Math::min);
            long reset = Math.max(own.resetNanos(), most(bucket -> bucket.nanosUntilPaid(now)));
            return new Quota(limit, Math.min(room, coldRoom(rising, now)), reset, own.windowNanos());
        }
    }

    /* What the bucket would grant that the next request begins, because the ramp has become cold since the last one. */
    private long coldRoom(@Nullable RampProgress rising, long now) {
        int step = rising == null ? RampProgress.STEPS : rising.due(() -> 0);
        boolean begins = slow == null || !slow.isRising() || slow.isOutdated() || step == 0;
        if (rising == null || step == RampProgress.STEPS || !begins) {
            return Long.MAX_VALUE;
        }
        Account full = rising.account(step, full(), inner.limit());
        long max = Math.max(owed(now), full.used());
        Debt before = missing(max);
        long above = before == null ? 0 : Math.min(full.burst(), before.room(now));
        return max <= full.burst() ? full.burst() - max : above;
    }

    @Override
    public @Nullable RampProgress ramp() {
        return ramp;
    }

    @Override
    public Account account() {
        RampProgress rising = ramp;
        Account full = full();
        Account present = rising == null ? full : rising.account(rising.due(), full, inner.limit());
        if (debt != null || slow != null) {
            synchronized (this) {
                long now = ticker.read();
                refill(now);
                return debt == null && slow == null ? present : present.withUsed(owed(now));
            }
        }
        return present;
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

    /** The rate was adjusted in place, and continues with this ramp. */
    synchronized void adjusted(@Nullable RampProgress next) {
        long now = ticker.read();
        refill(now);
        ramp = next;
        if (next != null && slow != null && slow.isRising()) {
            begin(next, owed(now), slow.missing(now), now);
            return;
        }
        buckets().forEach(bucket -> bucket.changeTo(full(), inner.limit(), now));
    }

    @Override
    public Traits traits() {
        return ramp == null ? traits : traits.explaining(true);
    }

    @Override
    public Set<Rejection.Reason> reasons() {
        return inner.reasons();
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
        figures.put("debt", account().used());
        return figures;
    }
}
