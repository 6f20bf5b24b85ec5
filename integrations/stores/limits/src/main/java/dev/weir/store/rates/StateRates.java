package dev.weir.store.rates;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import dev.weir.store.state.EvenRate;
import dev.weir.store.state.StateRate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** The arithmetic of a rate in a store, by its specification. */
public final class StateRates {
    private static final int MAX_BLOCKS = 60;
    private static final int MAX_LOG = 1 << 16;
    private static final int MAX_RATES = 8;
    private static final long NANOS = 1_000;

    private StateRates() {}

    /**
     * A rate that counts each key by itself, so a {@link Keyed} is the same as the limit of one of its keys.
     *
     * @param spec a bucket, a GCRA, a pacer, a window of at most 60 blocks, a log of at most 65,536 permits, a first-hit quota, a {@link
     *     Ban}, up to 8 even rates at once, a rate by cost, or one of them for each key
     * @throws IllegalArgumentException if it cannot be counted by a store; the message says why
     */
    public static StateRate of(StrategySpec spec) {
        if (spec instanceof Keyed keyed) {
            return of(keyed.perKey());
        }
        if (spec instanceof Settled settled) {
            check(spec, !(settled.rate() instanceof Ban), "a ban does not count by cost");
            return of(settled.rate()).settled(settled.isOnce());
        }
        try {
            return counted(spec);
        } catch (ArithmeticException e) {
            throw refused(spec, "its permits and its period need more than 52 bits");
        }
    }

    private static StateRate counted(StrategySpec spec) {
        if (spec instanceof SlidingWindow window) {
            return sliding(window);
        } else if (spec instanceof SlidingLog log) {
            check(spec, log.limit() <= MAX_LOG, "the limit of a log must be <= " + MAX_LOG);
            return StateRate.log(Parameters.window(log.limit(), log.period()), Parameters.micros(log.period()));
        } else if (spec instanceof FixedWindow window) {
            return fixed(window);
        } else if (spec instanceof FirstHitQuota quota) {
            return fixed(quota.limit(), quota.window(), false);
        } else if (spec instanceof Ban ban) {
            return StateRate.ban(even(ban.limit()), Parameters.micros(ban.time()));
        }
        List<StrategySpec> rates = spec.parts();
        if (rates.size() == 1) {
            return spec instanceof AllOf ? of(rates.get(0)) : StateRate.even(List.of(even(spec)));
        }
        check(spec, rates.size() <= MAX_RATES, "it has more than " + MAX_RATES + " limits");
        return StateRate.even(rates.stream().map(StateRates::even).toList());
    }

    private static EvenRate even(StrategySpec spec) {
        if (spec instanceof TokenBucket bucket) {
            check(spec, bucket.refill() == TokenBucket.Refill.GREEDY, "tokens must arrive one by one");
            check(
                    spec,
                    bucket.initial() == bucket.capacity(),
                    "it must be full at the start, because a key that is not used is not kept");
            return Parameters.even(bucket.permits(), bucket.period(), bucket.capacity());
        } else if (spec instanceof LeakyBucket bucket) {
            return Parameters.even(bucket.permits(), bucket.period(), bucket.burst() + 1);
        } else if (spec instanceof Gcra gcra) {
            return Parameters.tolerant(gcra.permits(), gcra.period(), gcra.tolerance());
        } else if (spec instanceof Pacer pacer) {
            return Parameters.paced(pacer.permits(), pacer.period(), pacer.largest());
        } else if (spec instanceof Settled) {
            throw refused(spec, "of several limits at once, none may count by cost; use a limiter of its own");
        } else if (spec instanceof Semaphore) {
            throw refused(spec, "it holds permits until release; use a semaphore of the store, as RedisSemaphore");
        } else if (spec instanceof SlidingWindow
                || spec instanceof SlidingLog
                || spec instanceof FixedWindow
                || spec instanceof FirstHitQuota
                || spec instanceof Ban) {
            throw refused(spec, "of several limits at once, each must be a bucket, a GCRA or a pacer");
        }
        throw refused(spec, "there is no arithmetic for a " + spec.getClass().getSimpleName());
    }

    private static StateRate sliding(SlidingWindow window) {
        check(window, window.blocks() <= MAX_BLOCKS, "a window must have at most " + MAX_BLOCKS + " blocks");
        long block = (Parameters.micros(window.period()) - 1) / window.blocks() + 1;
        return StateRate.window(Parameters.window(window.limit(), window.period()), block, window.blocks());
    }

    private static StateRate fixed(FixedWindow window) {
        InstantSource clock = window.alignedTo();
        if (clock == null) {
            return fixed(window.limit(), window.period(), false);
        }
        check(window, clock.equals(InstantSource.system()), "windows can be aligned to the clock of the store only");
        check(
                window,
                window.period().toNanos() % NANOS == 0,
                "the period of aligned windows must be whole microseconds");
        return fixed(window.limit(), window.period(), true);
    }

    private static StateRate fixed(long limit, Duration period, boolean isAligned) {
        return StateRate.fixed(Parameters.window(limit, period), Parameters.micros(period), isAligned);
    }

    private static void check(StrategySpec spec, boolean counted, String why) {
        if (!counted) {
            throw refused(spec, why);
        }
    }

    private static IllegalArgumentException refused(StrategySpec spec, String why) {
        return new IllegalArgumentException(spec + " cannot be counted by a store: " + why);
    }
}
