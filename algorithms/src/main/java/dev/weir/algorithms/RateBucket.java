package dev.weir.algorithms;

import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.BucketState.Change;
import dev.weir.algorithms.BucketState.Interval;
import dev.weir.algorithms.BucketState.Paced;
import dev.weir.algorithms.BucketState.Shrunk;
import dev.weir.algorithms.Rate.Style;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.SpinPause;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** A bucket of permits that refills as time passes: the one rate counter behind several specifications. */
final class RateBucket implements PartStrategy {
    /*
     * The state is one number, `spent`: all units up to this one, of all that ever arrive, are used.
     *
     *     arrived - - - - - - - - now
     *     |        missing       |
     *     |          spent ------+        free = capacity - (spent - arrived)
     *
     * A bucket with spent <= arrived is full. The surplus is discarded when the next permit is taken, by counting from what
     * is *arriving*: a fraction of a unit is lost, never gained. With denominator = 1 there is no fraction.
     *
     * Reading order: `before`, then the clock, then `spent`. A grant needs only that the clock is not ahead of the CAS,
     * which it never is. A rejection holds at the clock's instant if `spent` did not change since `before`; otherwise the
     * request is tried again, because a thread that was delayed after it read the clock would refuse permits that exist.
     * Likewise, only an unchanged `spent` that is further ahead than the most that may be missing proves that the clock ran
     * back. Then the excess is discarded: the bucket refills from the present instant, and the jump itself adds nothing.
     *
     * A reading is never older than the state it is compared with, or it would look as if the clock had run back. Only after
     * a rebase, the reading that caused it is used: at the fastest rates, a state counts no longer than a clock reading
     * takes. Such a reading may grant, but not refuse.
     *
     * Change of parameters. A state is (parameters, spent); new parameters make a new state. The thread that changes them
     * writes `next`, once. Then any thread seals `spent`: it inverts all bits, so that every later CAS on it fails. The sealed
     * value and `next` determine the new state, so each thread that finds a sealed state computes the same one and replaces
     * `state` by CAS. No thread waits.
     */
    private static final long AGAIN = Long.MIN_VALUE;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(RateBucket.class, "state", BucketState.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile BucketState state;

    private RateBucket(BucketState state) {
        this.state = state;
    }

    /** A bucket with {@code missing} permits missing, {@code elapsed} nanoseconds after the origin of the parameters. */
    RateBucket(BucketParameters parameters, long missing, long elapsed) {
        this(BucketState.of(parameters, elapsed, missing * parameters.arithmetic.unit, 0));
    }

    static RateBucket of(Rate rate, Ticker ticker, long missing) {
        return new RateBucket(BucketParameters.of(rate, ticker), missing, 0);
    }

    /** Continues a running bucket at this rate with everything it has granted; false if it cannot. */
    static boolean adjust(Strategy running, Rate next) {
        return Objects.requireNonNull(running) instanceof RateBucket bucket && bucket.adjusted(next);
    }

    private boolean adjusted(Rate next) {
        Rate rate = state.parameters.rate;
        if (!next.continues(rate) || !fits(next)) {
            return false;
        }
        if (!next.equals(rate)) {
            change(from -> next);
        }
        return true;
    }

    private boolean fits(Rate next) {
        boolean isUsedFit = next.style() == Style.WINDOW || used() <= next.maxMissing();
        if (next.style() != Style.PACED) {
            return isUsedFit;
        }
        /* Slots that were late count as used, but nothing waits for them, unless there may be larger requests. */
        return slotsAhead() <= next.capacity() && (isUsedFit || next.capacity() <= capacity());
    }

    private long slotsAhead() {
        BucketState at = state;
        long missing = at.missing(at.unsealed(), at.parameters.elapsed());
        long unit = at.parameters.arithmetic.unit;
        return (Math.max(0, missing - at.parameters.lostSlots) + unit - 1) / unit;
    }

    @Override
    public long acquire(Request request) {
        return acquire(request.permits());
    }

    @Override
    public long acquire(Request request, long permits) {
        return acquire(permits);
    }

    long acquire(long permits) {
        for (; ; ) {
            BucketState at = state;
            long before = at.spent;
            long now = at.parameters.ticker.read();
            long elapsed = now - at.parameters.origin;
            if (!at.parameters.covers(elapsed)) {
                at = rebase(at, elapsed);
                before = BucketState.UNKNOWN;
                elapsed = now - at.parameters.origin;
            }
            if (permits > at.parameters.capacity) {
                return NEVER;
            }
            long answer = at.parameters.covers(elapsed) ? acquire(at, at.parameters, permits, before, elapsed) : AGAIN;
            if (answer != AGAIN) {
                return answer;
            }
        }
    }

    private long acquire(BucketState at, BucketParameters parameters, long permits, long before, long elapsed) {
        RateArithmetic arithmetic = parameters.arithmetic;
        long arrived = arithmetic.arrived(elapsed);
        int pauses = SpinPause.FIRST;
        for (; ; ) {
            long spent = at.spent;
            if (spent < 0) {
                replace(at);
                return AGAIN;
            }
            long start = spent;
            if (spent <= arrived) {
                if (at instanceof Paced paced && paced.isOutdated(spent, elapsed)) {
                    renew(at, parameters, parameters.origin + elapsed);
                    return AGAIN;
                }
                start = arithmetic.arriving(elapsed) + parameters.lostSlots;
                if (spent < arrived && at instanceof Interval interval) {
                    interval.filled(spent, arrived);
                }
            } else {
                long lacking = spent - arrived - parameters.allowance(permits);
                if (lacking > 0) {
                    return spent == before ? rejection(at, spent, lacking, elapsed) : AGAIN;
                }
                if (at instanceof Paced paced) {
                    paced.countLate(spent, elapsed);
                }
            }
            if (BucketState.SPENT.compareAndSet(at, spent, start + permits * arithmetic.unit)) {
                if (at instanceof Shrunk shrunk && spent < arrived) {
                    shrunk.beyond = shrunk.beyond(spent, arrived);
                } else if (at instanceof Paced paced && spent <= arrived) {
                    paced.start = start;
                }
                return GRANTED;
            }
            pauses = SpinPause.pause(pauses);
        }
    }

    private static long rejection(BucketState at, long spent, long lacking, long elapsed) {
        RateArithmetic arithmetic = at.parameters.arithmetic;
        long max = arithmetic.arriving(elapsed) + at.parameters.maxMissing;
        if (spent > max) {
            if (at instanceof Interval interval) {
                interval.lost = arithmetic.arrived(elapsed);
            } else if (at instanceof Paced paced) {
                paced.start = BucketState.UNKNOWN;
            }
            BucketState.SPENT.compareAndSet(at, spent, max);
            return AGAIN;
        }
        return arithmetic.nanosUntil(lacking, elapsed);
    }

    /**
     * Returns what has not refilled since the grant: a bucket that could have been full again since then would have had no
     * room for the rest. What was granted before the last change of an even rate is not returned.
     */
    @Override
    public void refund(Request request, long grantedAt) {
        BucketState at;
        do {
            at = state;
        } while (!refunded(at, notRefilled(at, request.permits(), grantedAt)));
    }

    /** The permits of this grant that a refund would return if there were room for them, rounded down. */
    long notRefilled(long permits, long grantedAt) {
        BucketState at = state;
        return notRefilled(at, permits, grantedAt) / at.parameters.arithmetic.unit;
    }

    private static long notRefilled(BucketState at, long permits, long grantedAt) {
        RateArithmetic arithmetic = at.parameters.arithmetic;
        long then = grantedAt - at.parameters.origin;
        long elapsed = at.parameters.ticker.read() - at.parameters.origin;
        boolean isOlder = then < 0 || (then == 0 && at instanceof Shrunk);
        if (isOlder || elapsed < then || elapsed > arithmetic.maxElapsed) {
            return 0;
        }
        long units = Math.min(permits, Check.MAX_PERMITS / arithmetic.unit) * arithmetic.unit;
        return Math.max(0, units - (arithmetic.arriving(elapsed) - arithmetic.arrived(then)));
    }

    private boolean refunded(BucketState at, long units) {
        if (units == 0) {
            return true;
        }
        long spent = at.spent;
        if (spent < 0) {
            replace(at);
            return false;
        }
        long left = spent - units;
        if (at instanceof Paced paced && left == paced.start) {
            left -= at.parameters.lostSlots;
            paced.start = BucketState.UNKNOWN;
        }
        return BucketState.SPENT.compareAndSet(at, spent, Math.max(0, left));
    }

    /** Continues at the rate that follows from the present one; computed again if another change came between. */
    private void change(UnaryOperator<Rate> following) {
        for (; ; ) {
            BucketState at = state;
            long now = at.parameters.ticker.read();
            BucketParameters next = at.parameters.after(following.apply(at.parameters.rate), now);
            boolean first = BucketState.NEXT.compareAndSet(at, (Change) null, new Change(next, now));
            replace(at);
            if (first) {
                return;
            }
        }
    }

    /* Time is past what one state can count, or back before its origin. */
    private BucketState rebase(BucketState at, long elapsed) {
        BucketParameters moved = at.parameters.countedFrom(elapsed);
        renew(at, moved, moved.origin);
        return state;
    }

    private void renew(BucketState at, BucketParameters parameters, long now) {
        BucketState.NEXT.compareAndSet(at, (Change) null, new Change(parameters, now));
        replace(at);
    }

    private void replace(BucketState at) {
        Change next = at.next;
        if (next == null) {
            return;
        }
        long spent = at.spent;
        while (spent >= 0 && !BucketState.SPENT.compareAndSet(at, spent, ~spent)) {
            spent = at.spent;
        }
        STATE.compareAndSet(this, at, at.following(next));
    }

    long capacity() {
        return state.parameters.capacity;
    }

    @Override
    public Account account() {
        BucketState at = state;
        Rate rate = at.parameters.rate;
        return rate.style().isSpaced()
                ? new Account(1, rate.interval(), rate.most(), used(at))
                : new Account(rate.permits(), rate.period(), rate.capacity(), used(at));
    }

    @Override
    public long used() {
        return used(state);
    }

    private static long used(BucketState at) {
        long spent = at.unsealed();
        long elapsed = at.parameters.elapsed();
        long unit = at.parameters.arithmetic.unit;
        long missing = Math.min(at.maxUsed(), at.used(spent, elapsed));
        return (missing + unit - 1) / unit + at.early(spent, elapsed);
    }

    @Override
    public Quota quota(Request request) {
        BucketState at = state;
        BucketParameters parameters = at.parameters;
        long elapsed = parameters.elapsed();
        long missing = at.missing(at.unsealed(), elapsed);
        long most = parameters.rate.style() == Style.PACED ? request.permits() : Long.MAX_VALUE;
        return new Quota(
                parameters.rate.permits(),
                Math.min(most, parameters.remaining(missing)),
                parameters.nanosUntilFull(missing, elapsed),
                parameters.rate.period());
    }

    @Override
    public long limit() {
        return state.parameters.rate.permits();
    }

    @Override
    public void setLimit(long limit) {
        Check.within("limit", limit, 1, Check.MAX_PERMITS);
        change(rate -> rate.withLimit(limit));
    }

    @Override
    public Traits traits() {
        return Traits.RATE;
    }

    @Override
    public boolean isSteady() {
        Style style = state.parameters.rate.style();
        return style == Style.EVEN || style == Style.TOLERANT;
    }

    /** Writes the last used unit by these parameters, which cover the present, and a last lost one if it fits; false if more is used. */
    boolean write(BucketParameters by, long[] to) {
        BucketState at = state;
        long now = by.ticker.read();
        BucketState in = at.parameters == by ? at : at.following(new Change(by, now));
        long spent = in instanceof Paced paced ? paced.spentIfLate(in.unsealed()) : in.unsealed();
        to[0] = spent;
        if (to.length > 1) {
            to[1] = in instanceof Interval interval ? interval.lost : spent;
        }
        return !(in instanceof Shrunk) && in.missing(spent, now - by.origin) <= by.maxMissing;
    }

    /** The bucket of which that was written. */
    static RateBucket restored(BucketParameters by, long spent, long lost) {
        return new RateBucket(BucketState.of(by, spent, lost));
    }

    /** Takes the state of another bucket by these parameters; if {@code isUsed}, uses no less than before. Called before both are known. */
    void become(RateBucket other, boolean isUsed) {
        BucketState theirs = other.state;
        if (isUsed && theirs.parameters == state.parameters) {
            theirs.spent = Math.max(theirs.spent, state.spent);
        }
        state = theirs;
    }
}
