package dev.weir.redis;

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
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The form of a rate in which its script counts it. */
final class RedisRate {
    static final int MAX_BLOCKS = 60;
    static final int MAX_LOG = 1 << 16;
    static final int MAX_RATES = 8;

    private static final long NANOS = 1_000;
    private static final int LARGEST = 3;
    private static final int LIMIT = 5;

    private final Kind kind;
    private final List<Long> parameters;
    private final byte[] rule;
    private final @Nullable Settled settled;

    /** The rules by which scripts count, by their number in a state from 1. */
    private enum Kind {
        EVEN,
        BAN,
        FIXED,
        WINDOW,
        LOG
    }

    private RedisRate(Kind kind, List<Long> parameters, @Nullable Settled settled) {
        this.kind = kind;
        this.settled = settled;
        this.parameters = List.copyOf(parameters);
        this.rule = rule(kind, parameters);
    }

    /* The bytes with which each state of the rate begins, and those that only its calls have. */
    private static byte[] rule(Kind kind, List<Long> parameters) {
        int rates = kind == Kind.EVEN ? parameters.size() / EvenRate.PARAMETERS : 0;
        ByteBuffer rule = ByteBuffer.allocate(Integer.BYTES + parameters.size() * Double.BYTES)
                .put(new byte[] {'W', 2, (byte) (kind.ordinal() + 1), (byte) rates});
        parameters.forEach(rule::putDouble);
        return rule.array();
    }

    /** The rule as a script gets it. */
    byte[] rule() {
        return rule;
    }

    /**
     * A rate that counts each key by itself, so a {@link Keyed} is the same as the limit of one of its keys.
     *
     * @throws IllegalArgumentException if no script counts this
     */
    static RedisRate of(StrategySpec spec) {
        if (spec instanceof Keyed keyed) {
            return of(keyed.perKey());
        }
        if (spec instanceof Settled settled) {
            check(spec, !(settled.rate() instanceof Ban), "a ban does not count by cost");
            RedisRate rate = of(settled.rate());
            return new RedisRate(rate.kind, rate.parameters, settled);
        }
        try {
            return counted(spec);
        } catch (ArithmeticException e) {
            throw refused(spec, "its permits and its period need more than 52 bits");
        }
    }

    private static RedisRate counted(StrategySpec spec) {
        if (spec instanceof SlidingWindow window) {
            return sliding(window);
        } else if (spec instanceof SlidingLog log) {
            check(spec, log.limit() <= MAX_LOG, "the limit of a log must be <= " + MAX_LOG);
            return window(Kind.LOG, log.limit(), log.period());
        } else if (spec instanceof FixedWindow window) {
            return fixed(window);
        } else if (spec instanceof FirstHitQuota quota) {
            return window(Kind.FIXED, quota.limit(), quota.window(), 0);
        } else if (spec instanceof Ban ban) {
            List<Long> rate = even(ban.limit());
            List<Long> parameters = new ArrayList<>(rate.subList(0, LARGEST + 1));
            parameters.add(EvenRate.micros(ban.time()));
            parameters.add(rate.get(LIMIT));
            return of(Kind.BAN, parameters);
        }
        List<StrategySpec> rates = spec.parts();
        if (rates.size() == 1) {
            return spec instanceof AllOf ? of(rates.get(0)) : of(Kind.EVEN, even(spec));
        }
        check(spec, rates.size() <= MAX_RATES, "it has more than " + MAX_RATES + " limits");
        return of(Kind.EVEN, rates.stream().flatMap(rate -> even(rate).stream()).toList());
    }

    private static List<Long> even(StrategySpec spec) {
        if (spec instanceof TokenBucket bucket) {
            check(spec, bucket.refill() == TokenBucket.Refill.GREEDY, "tokens must arrive one by one");
            check(
                    spec,
                    bucket.initial() == bucket.capacity(),
                    "it must be full at the start, because a key that is not used is not kept");
            return EvenRate.of(bucket.permits(), bucket.period(), bucket.capacity());
        } else if (spec instanceof LeakyBucket bucket) {
            return EvenRate.of(bucket.permits(), bucket.period(), bucket.burst() + 1);
        } else if (spec instanceof Gcra gcra) {
            return EvenRate.tolerant(gcra.permits(), gcra.period(), gcra.tolerance());
        } else if (spec instanceof Pacer pacer) {
            return EvenRate.paced(pacer.permits(), pacer.period(), pacer.largest());
        } else if (spec instanceof Settled) {
            throw refused(spec, "of several limits at once, none may count by cost; use a limiter of its own");
        } else if (spec instanceof Semaphore) {
            throw refused(spec, "it holds permits until release; use RedisSemaphore");
        } else if (spec instanceof SlidingWindow
                || spec instanceof SlidingLog
                || spec instanceof FixedWindow
                || spec instanceof FirstHitQuota
                || spec instanceof Ban) {
            throw refused(spec, "of several limits at once, each must be a bucket, a GCRA or a pacer");
        }
        throw refused(spec, "there is no script for a " + spec.getClass().getSimpleName());
    }

    private static RedisRate sliding(SlidingWindow window) {
        check(window, window.blocks() <= MAX_BLOCKS, "a window must have at most " + MAX_BLOCKS + " blocks");
        long block = (EvenRate.micros(window.period()) - 1) / window.blocks() + 1;
        return of(Kind.WINDOW, EvenRate.debt(window.limit(), window.period(), block, window.blocks()));
    }

    private static RedisRate fixed(FixedWindow window) {
        InstantSource clock = window.alignedTo();
        if (clock == null) {
            return window(Kind.FIXED, window.limit(), window.period(), 0);
        }
        check(window, clock.equals(InstantSource.system()), "windows can be aligned to the clock of the server only");
        check(
                window,
                window.period().toNanos() % NANOS == 0,
                "the period of aligned windows must be whole microseconds");
        return window(Kind.FIXED, window.limit(), window.period(), 1);
    }

    private static RedisRate window(Kind kind, long limit, Duration period, long... flags) {
        long[] more = new long[flags.length + 1];
        more[0] = EvenRate.micros(period);
        System.arraycopy(flags, 0, more, 1, flags.length);
        return of(kind, EvenRate.debt(limit, period, more));
    }

    private static RedisRate of(Kind kind, List<Long> parameters) {
        return new RedisRate(kind, parameters, null);
    }

    private static void check(StrategySpec spec, boolean counted, String why) {
        if (!counted) {
            throw refused(spec, why);
        }
    }

    private static IllegalArgumentException refused(StrategySpec spec, String why) {
        return new IllegalArgumentException(spec + " cannot be counted by Redis: " + why);
    }

    /** Whether it takes the cost of a request. */
    boolean countsCost() {
        return settled != null;
    }

    /** The operation that takes all of so many permits or none. */
    int acquire(long permits) {
        return settled != null && settled.isOnce() && permits > largest() ? Script.ACQUIRE_ONCE : Script.ACQUIRE;
    }

    private long largest() {
        return parameters.get(isEven() ? LARGEST : LARGEST - 1);
    }

    /** The operation that counts permits also beyond the limit. */
    int charge() {
        return settled == null || isEven() ? Script.CHARGE : Script.OVERDRAW;
    }

    /** The operation that refunds permits of a limit by cost, as so many less than 0. */
    int refund() {
        return isEven() ? Script.CHARGE : Script.OVERDRAW;
    }

    private boolean isEven() {
        return kind == Kind.EVEN || kind == Kind.BAN;
    }

    /** Whether permits may be taken in advance: a batch that is refused would ban the key. */
    boolean allowsBatches() {
        return kind != Kind.BAN;
    }

    /** As {@link dev.weir.store.StoreLimit#refilled}; of several rates, the one that refills most. */
    long refilled(long nanos) {
        if (!isEven()) {
            return -1;
        }
        BigInteger micros = BigInteger.valueOf(Math.max(0, nanos) / NANOS);
        long most = 0;
        int rates = kind == Kind.BAN ? 1 : parameters.size() / EvenRate.PARAMETERS;
        for (int i = 0; i < rates * EvenRate.PARAMETERS; i += EvenRate.PARAMETERS) {
            BigInteger units = micros.multiply(BigInteger.valueOf(parameters.get(i)));
            BigInteger permits = units.divide(BigInteger.valueOf(parameters.get(i + 1)));
            most = Math.max(most, permits.bitLength() < Long.SIZE ? permits.longValue() : Long.MAX_VALUE);
        }
        return most;
    }
}
