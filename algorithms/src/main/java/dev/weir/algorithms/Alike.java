package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;

/** A specification for a great many buckets, which share their terms. */
final class Alike implements StrategySpec, EvictedState {
    /*
     * The state of an evicted bucket is in units by the shared terms, counted from the first of them on, so that it stays
     * what it is when terms are renewed; units are compared by difference.
     *
     *     state[0]   up to which unit everything is used up; 0 = nothing was used, so one that happens to be 0 is kept as 1
     *     state[1]   if permits arrive in batches: up to which unit all was lost
     *
     *     previous beat        last beat - - now
     *     |   lost   |  brought  |     missing     |
     *              state[1]   arrived           state[0]
     *
     * If nothing is missing, state[0] lies as far before the last beat as the batch was lost, as in a bucket from which
     * nobody took since. More used and less lost is stricter.
     */
    private final Rate rate;
    private final long missing;
    private volatile Shared shared;

    /* With so many units that had arrived before these terms began. */
    private record Shared(Terms terms, long base) {
        /* So many nanoseconds have passed. */
        long elapsed() {
            return Math.max(0, terms.ticker.read() - terms.origin);
        }

        long arrived() {
            return base + terms.pace.arrived(elapsed());
        }

        long missing(long[] state) {
            long units = state[0] == 0 ? 0 : state[0] - base - terms.pace.arriving(elapsed());
            return Math.max(0, Math.min(units, terms.deepest));
        }

        /* What the last batch brought. */
        long brought(long[] state) {
            if (state[0] == 0 || state.length == 1) {
                return 0;
            }
            long scale = terms.pace.scale;
            long ahead = state[0] - arrived();
            return ahead < 0 ? Math.max(0, ahead + scale) : Math.max(0, Math.min(scale, arrived() - state[1]));
        }
    }

    /** Buckets made by these terms with so many permits missing. */
    Alike(Rate rate, Terms terms, long missing) {
        this.rate = rate;
        this.shared = new Shared(terms, 0);
        this.missing = missing;
    }

    /** Of another rate than buckets before, whose periods go on if they can. */
    static Alike following(StrategySpec before, Rate rate, Ticker ticker, long missing) {
        return before instanceof Alike old && rate.continues(old.rate)
                ? new Alike(rate, old.present().terms.after(rate, ticker.read()), missing)
                : new Alike(rate, Terms.of(rate, ticker), missing);
    }

    @Override
    public Strategy create(Ticker ticker) {
        Shared now = present();
        return new Bucket(now.terms, missing, now.elapsed());
    }

    /* Terms are renewed long before a new bucket would find them too old to count by. */
    private Shared present() {
        Shared now = shared;
        return isOld(now) ? renewed() : now;
    }

    private static boolean isOld(Shared now) {
        long elapsed = now.terms.ticker.read() - now.terms.origin;
        return elapsed < 0 || elapsed > now.terms.pace.maxElapsed / 2;
    }

    private synchronized Shared renewed() {
        Shared old = shared;
        if (isOld(old)) {
            Terms next = old.terms.countedFrom(old.terms.ticker.read() - old.terms.origin);
            long gone = Math.max(0, Math.min(next.origin - old.terms.origin, old.terms.pace.maxElapsed));
            shared = new Shared(next, old.base + old.terms.pace.arrived(gone));
        }
        return shared;
    }

    @Override
    public boolean adjust(Strategy running) {
        return rate.adjust(running);
    }

    @Override
    public StrategySpec withLimit(long limit) {
        Check.within("limit", limit, 1, Check.MOST);
        Terms terms = present().terms;
        Rate other = rate.withLimit(limit);
        return new Alike(other, terms.after(other, terms.ticker.read()), missing);
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
        Bucket bucket = (Bucket) evicted;
        long units = bucket.used(now.terms);
        long brought = bucket.brought();
        if (units > 0 || brought > 0) {
            long arrived = now.arrived();
            long used = units > 0 ? arrived + units : arrived - now.terms.pace.scale + brought;
            state[0] = used == 0 ? 1 : used;
            if (state.length > 1) {
                state[1] = arrived - brought;
            }
        }
        return units <= now.terms.deepest;
    }

    @Override
    public Strategy read(long[] state, Strategy fresh) {
        Shared now = present();
        ((Bucket) fresh).resume(now.missing(state), now.brought(state));
        return fresh;
    }

    @Override
    public boolean isFree(long[] state) {
        Shared now = present();
        return now.missing(state) == 0 && now.brought(state) == 0;
    }

    @Override
    public void stricter(long[] state, long[] other) {
        combine(state, other, true);
    }

    @Override
    public void looser(long[] state, long[] other) {
        combine(state, other, false);
    }

    private void combine(long[] state, long[] other, boolean stricter) {
        boolean free = isFree(state);
        if (free || isFree(other)) {
            if (free == stricter) {
                System.arraycopy(other, 0, state, 0, state.length);
            }
            return;
        }
        state[0] = other[0] - state[0] > 0 == stricter ? other[0] : state[0];
        if (state.length > 1) {
            state[1] = other[1] - state[1] < 0 == stricter ? other[1] : state[1];
        }
    }
}
