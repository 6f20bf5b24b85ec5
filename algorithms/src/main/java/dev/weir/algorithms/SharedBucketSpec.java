package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.EvictedState;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The specification of many buckets that share their parameters, and the format of an evicted one. */
final class SharedBucketSpec implements PartSpec, EvictedState {
    /*
     * The state of an evicted bucket is its last used unit by the shared parameters and, if permits arrive in batches, its
     * last lost unit. Both count from the first of these parameters, so that they do not change when parameters are
     * renewed. They are compared by difference.
     */
    private final Rate rate;
    private final long missing;
    /* Immutable, and replaced as a whole under the monitor. */
    private volatile Epoch epoch;

    /* The parameters in use, and the units that had arrived before their origin. */
    private record Epoch(BucketParameters parameters, long base) {
        long elapsed() {
            return parameters.ticker.read() - parameters.origin;
        }

        boolean isOld() {
            long elapsed = elapsed();
            return elapsed < 0 || elapsed > parameters.arithmetic.maxElapsed / 2;
        }

        Epoch renewed() {
            BucketParameters next = parameters.countedFrom(elapsed());
            long passed = Math.max(0, Math.min(next.origin - parameters.origin, parameters.arithmetic.maxElapsed));
            return new Epoch(next, base + parameters.arithmetic.arrived(passed));
        }
    }

    private SharedBucketSpec(Rate rate, BucketParameters parameters, long missing) {
        this.rate = rate;
        this.epoch = new Epoch(parameters, 0);
        this.missing = missing;
    }

    /** Buckets with so many permits missing at the start, which replace those of an earlier specification, if there is one. */
    static SharedBucketSpec after(@Nullable StrategySpec before, Rate rate, long missing, Ticker ticker) {
        if (!(before instanceof SharedBucketSpec old) || !rate.continues(old.rate)) {
            return new SharedBucketSpec(rate, BucketParameters.of(rate, ticker), missing);
        }
        BucketParameters present = old.present().parameters;
        return new SharedBucketSpec(
                rate, rate.equals(old.rate) ? present : present.after(rate, ticker.read()), missing);
    }

    @Override
    public Strategy create(Ticker ticker) {
        BucketParameters parameters = present().parameters;
        return new RateBucket(parameters, missing, Math.max(0, ticker.read() - parameters.origin));
    }

    /* Parameters are renewed long before a new bucket would find them too old to count by. */
    private Epoch present() {
        Epoch now = epoch;
        if (!now.isOld()) {
            return now;
        }
        synchronized (this) {
            epoch = epoch.isOld() ? epoch.renewed() : epoch;
            return epoch;
        }
    }

    @Override
    public boolean adjust(Strategy running) {
        return RateBucket.adjust(running, rate);
    }

    @Override
    public StrategySpec withLimit(long limit) {
        Check.within("limit", limit, 1, Check.MAX_PERMITS);
        Rate next = rate.withLimit(limit);
        BucketParameters present = present().parameters;
        return new SharedBucketSpec(next, present.after(next, present.ticker.read()), missing);
    }

    @Override
    public EvictedState evictedState(Ticker ticker) {
        return this;
    }

    @Override
    public int longs() {
        return rate.style().isPeriodic() ? 2 : 1;
    }

    @Override
    public boolean write(PartStrategy evicted, long[] state) {
        Epoch now = present();
        boolean fits = ((RateBucket) evicted).write(now.parameters, state);
        for (int i = 0; i < state.length; i++) {
            state[i] += now.base;
        }
        if (restored(state).account().used() == 0) {
            Arrays.fill(state, 0);
        }
        return fits;
    }

    private RateBucket restored(long[] state) {
        Epoch now = present();
        long max = now.parameters.arithmetic.arriving(Math.max(0, now.elapsed())) + now.parameters.maxMissing;
        long spent = Math.max(0, Math.min(state[0] - now.base, max));
        return RateBucket.restored(now.parameters, spent, state[state.length - 1] - now.base);
    }

    @Override
    public PartStrategy read(long[] state, PartStrategy fresh) {
        if (!isFree(state)) {
            ((RateBucket) IndebtedRate.inner(fresh)).become(restored(state), missing > 0);
        }
        return fresh;
    }

    @Override
    public boolean isFree(long[] state) {
        boolean isZero = state[0] == 0 && state[state.length - 1] == 0;
        return isZero || restored(state).account().used() == 0;
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

    /* A state is stricter if more is used, or if less was lost. */
    private static void combine(long[] state, long[] other, int sign) {
        state[0] = Long.signum(other[0] - state[0]) == sign ? other[0] : state[0];
        if (state.length > 1) {
            state[1] = Long.signum(state[1] - other[1]) == sign ? other[1] : state[1];
        }
    }
}
