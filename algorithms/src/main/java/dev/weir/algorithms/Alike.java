package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;

/** A specification for a great many buckets, which share their terms. */
final class Alike implements StrategySpec, EvictedState {
    /*
     * The state of an evicted bucket is `spent` by the shared terms, counted from the first of them on, so that it stays
     * what it is when terms are renewed; it is compared by difference. 0 = full, so one that happens to be 0 is kept as 1.
     */
    private final long missing;
    private volatile Shared shared;

    /* With so many units that had arrived before these terms began. */
    private record Shared(Terms terms, long base) {
        long now() {
            return terms.ticker().read() - terms.origin();
        }

        /** The units that are missing from full in this state, as far as they can be. */
        long missing(long state) {
            long units = state == 0 ? 0 : state - base - terms.pace().arrived(Math.max(0, now()));
            return Math.max(0, Math.min(units, Bucket.deepest(terms)));
        }
    }

    /** Buckets made by these terms with so many permits missing. */
    Alike(Terms terms, long missing) {
        this.shared = new Shared(terms, 0);
        this.missing = missing;
    }

    /** These terms in succession to those of earlier buckets. */
    static Terms following(StrategySpec before, Terms terms) {
        return before instanceof Alike old && old.shared.terms.style() == terms.style()
                ? terms.after(old.present().terms)
                : terms;
    }

    @Override
    public Strategy create(Ticker ticker) {
        return Bucket.begun(present().terms, missing);
    }

    /* Terms are renewed long before a new bucket would find them too old to count by. */
    private Shared present() {
        Shared now = shared;
        return isOld(now) ? renewed() : now;
    }

    private static boolean isOld(Shared now) {
        long elapsed = now.now();
        return elapsed < 0 || elapsed > now.terms.pace().maxElapsed / 2;
    }

    private synchronized Shared renewed() {
        Shared old = shared;
        long elapsed = old.now();
        if (isOld(old)) {
            Terms next = old.terms.countedFrom(elapsed);
            long gone = Math.max(0, Math.min(next.origin() - old.terms.origin(), old.terms.pace().maxElapsed));
            shared = new Shared(next, old.base + old.terms.pace().arrived(gone));
        }
        return shared;
    }

    @Override
    public boolean adjust(Strategy running) {
        Terms terms = present().terms;
        return Bucket.adjusted(running, terms.style(), old -> terms);
    }

    @Override
    public StrategySpec withLimit(long limit) {
        Check.within("limit", limit, 1, Check.MOST);
        return new Alike(present().terms.withLimit(limit), missing);
    }

    @Override
    public EvictedState evictedState(Ticker ticker) {
        return this;
    }

    @Override
    public int longs() {
        return 1;
    }

    @Override
    public boolean write(Strategy evicted, long[] state) {
        Shared now = present();
        long spent = ((Bucket) evicted).spent(now.terms);
        state[0] = spent == 0 ? 0 : nonZero(now.base + spent);
        return spent - now.terms.pace().arrived(Math.max(0, now.now())) <= Bucket.deepest(now.terms);
    }

    private static long nonZero(long state) {
        return state == 0 ? 1 : state;
    }

    @Override
    public Strategy read(long[] state, Strategy fresh) {
        Shared now = present();
        ((Bucket) fresh).use(now.terms, now.missing(state[0]));
        return fresh;
    }

    @Override
    public boolean isFree(long[] state) {
        return present().missing(state[0]) == 0;
    }

    @Override
    public void stricter(long[] state, long[] other) {
        state[0] = isLess(state[0], other[0]) ? other[0] : state[0];
    }

    @Override
    public void looser(long[] state, long[] other) {
        state[0] = isLess(state[0], other[0]) ? state[0] : other[0];
    }

    private boolean isLess(long state, long other) {
        Shared now = present();
        return now.missing(state) < now.missing(other);
    }
}
