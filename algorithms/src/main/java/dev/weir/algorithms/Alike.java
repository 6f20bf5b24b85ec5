package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.Succession;
import java.util.Arrays;

/** A specification for a great many buckets, which share their terms. */
final class Alike implements StrategySpec, EvictedState {
    /*
     * The state of an evicted bucket is up to which unit by the shared terms all is used and, where permits arrive in
     * batches, up to which it was lost: both counted from the first of these terms on, so that they stay what they are
     * when terms are renewed, and compared by difference.
     */
    private final Rate rate;
    private final long missing;
    private volatile Shared shared;

    /* With so many units that had arrived before these terms began. */
    private record Shared(Terms terms, long base) {
        long elapsed() {
            return terms.ticker.read() - terms.origin;
        }

        boolean isOld() {
            long elapsed = elapsed();
            return elapsed < 0 || elapsed > terms.pace.maxElapsed / 2;
        }

        Shared renewed() {
            Terms next = terms.countedFrom(elapsed());
            long gone = Math.max(0, Math.min(next.origin - terms.origin, terms.pace.maxElapsed));
            return new Shared(next, base + terms.pace.arrived(gone));
        }
    }

    private Alike(Rate rate, Terms terms, long missing) {
        this.rate = rate;
        this.shared = new Shared(terms, 0);
        this.missing = missing;
    }

    /** Buckets of this rate with so many permits missing. */
    static Alike of(Rate rate, long missing, Ticker ticker) {
        return new Alike(rate, Terms.of(rate, ticker), missing);
    }

    /** Buckets that take over from those of an earlier specification. */
    static Alike after(StrategySpec before, Rate rate, long missing, Ticker ticker) {
        if (!(before instanceof Alike old) || !rate.continues(old.rate)) {
            return of(rate, missing, ticker);
        }
        Terms terms = old.present().terms;
        return new Alike(rate, rate.equals(old.rate) ? terms : terms.after(rate, ticker.read()), missing);
    }

    @Override
    public Strategy create(Ticker ticker) {
        Terms terms = present().terms;
        return new Bucket(terms, missing, Math.max(0, ticker.read() - terms.origin));
    }

    /* Terms are renewed long before a new bucket would find them too old to count by. */
    private Shared present() {
        Shared now = shared;
        if (!now.isOld()) {
            return now;
        }
        synchronized (this) {
            shared = shared.isOld() ? shared.renewed() : shared;
            return shared;
        }
    }

    @Override
    public boolean adjust(Strategy running) {
        return rate.adjust(running);
    }

    @Override
    public StrategySpec withLimit(long limit) {
        Check.within("limit", limit, 1, Check.MOST);
        Rate next = rate.withLimit(limit);
        Terms terms = present().terms;
        return new Alike(next, terms.after(next, terms.ticker.read()), missing);
    }

    @Override
    public EvictedState evictedState(Ticker ticker) {
        return this;
    }

    @Override
    public int longs() {
        return rate.style().isBatched() ? 2 : 1;
    }

    @Override
    public boolean write(Strategy evicted, long[] state) {
        Shared now = present();
        boolean fits = ((Bucket) evicted).write(now.terms, state);
        for (int i = 0; i < state.length; i++) {
            state[i] += now.base;
        }
        if (restored(state).used() == 0) {
            Arrays.fill(state, 0);
        }
        return fits;
    }

    private Bucket restored(long[] state) {
        Shared now = present();
        long most = now.terms.pace.arriving(Math.max(0, now.elapsed())) + now.terms.deepest;
        long spent = Math.max(0, Math.min(state[0] - now.base, most));
        return Bucket.restored(now.terms, spent, state[state.length - 1] - now.base);
    }

    @Override
    public Strategy read(long[] state, Strategy fresh) {
        if (!isFree(state)) {
            ((Bucket) Succession.withoutDebt(fresh)).become(restored(state), missing > 0);
        }
        return fresh;
    }

    @Override
    public boolean isFree(long[] state) {
        boolean isZero = state[0] == 0 && state[state.length - 1] == 0;
        return isZero || restored(state).used() == 0;
    }

    @Override
    public void stricter(long[] state, long[] other) {
        if (isFree(state)) {
            System.arraycopy(other, 0, state, 0, state.length);
        } else if (!isFree(other)) {
            combine(state, other, 1);
        }
    }

    @Override
    public void looser(long[] state, long[] other) {
        if (isFree(state) || isFree(other)) {
            Arrays.fill(state, 0);
        } else {
            combine(state, other, -1);
        }
    }

    /* The more is used, or the less was lost, the stricter. */
    private static void combine(long[] state, long[] other, int sign) {
        state[0] = Long.signum(other[0] - state[0]) == sign ? other[0] : state[0];
        if (state.length > 1) {
            state[1] = Long.signum(state[1] - other[1]) == sign ? other[1] : state[1];
        }
    }
}
