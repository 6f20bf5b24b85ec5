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
import dev.weir.store.Reply;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The form of a rate in which its script counts it. */
final class RedisRate {
    static final int MAX_BLOCKS = 60;
    static final int MAX_LOG = 1 << 16;
    static final int MAX_RATES = 8;

    private static final long NANOS = 1_000;
    private static final int ANSWERS = 7;

    private final Script script;
    private final List<Long> parameters;
    private final byte[] rule;
    private final @Nullable Settled settled;

    private RedisRate(Script script, List<Long> parameters, @Nullable Settled settled) {
        this.script = script;
        this.settled = settled;
        this.parameters = List.copyOf(parameters);
        String list = parameters.stream().map(String::valueOf).collect(Collectors.joining(","));
        this.rule = list.getBytes(StandardCharsets.US_ASCII);
    }

    /** The same by another script. */
    RedisRate by(Script other) {
        return new RedisRate(other, parameters, settled);
    }

    Script script() {
        return script;
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
            return new RedisRate(rate.script, rate.parameters, settled);
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
            return window("log", log.limit(), log.period());
        } else if (spec instanceof FixedWindow window) {
            return fixed(window);
        } else if (spec instanceof FirstHitQuota quota) {
            return window("fixed", quota.limit(), quota.window(), 0);
        } else if (spec instanceof Ban ban) {
            List<Long> rate = new ArrayList<>(even(ban.limit()));
            rate.add(EvenRate.micros(ban.time()));
            return of("ban", rate);
        }
        List<StrategySpec> rates = spec.parts();
        if (rates.size() == 1) {
            return spec instanceof AllOf ? of(rates.get(0)) : of("bucket", even(spec));
        }
        check(spec, rates.size() <= MAX_RATES, "it has more than " + MAX_RATES + " limits");
        return of("bucket", rates.stream().flatMap(rate -> even(rate).stream()).toList());
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
        return of("windows", EvenRate.debt(window.limit(), window.period(), block, window.blocks()));
    }

    private static RedisRate fixed(FixedWindow window) {
        InstantSource clock = window.alignedTo();
        if (clock == null) {
            return window("fixed", window.limit(), window.period(), 0);
        }
        check(window, clock.equals(InstantSource.system()), "windows can be aligned to the clock of the server only");
        check(
                window,
                window.period().toNanos() % NANOS == 0,
                "the period of aligned windows must be whole microseconds");
        return window("fixed", window.limit(), window.period(), 1);
    }

    private static RedisRate window(String script, long limit, Duration period, long... flags) {
        long[] more = new long[flags.length + 1];
        more[0] = EvenRate.micros(period);
        System.arraycopy(flags, 0, more, 1, flags.length);
        return of(script, EvenRate.debt(limit, period, more));
    }

    private static RedisRate of(String script, List<Long> parameters) {
        return new RedisRate(Script.of(script), parameters, null);
    }

    private static void check(StrategySpec spec, boolean counted, String why) {
        if (!counted) {
            throw refused(spec, why);
        }
    }

    private static IllegalArgumentException refused(StrategySpec spec, String why) {
        return new IllegalArgumentException(spec + " cannot be counted by Redis: " + why);
    }

    /**
     * All arguments of the script.
     *
     * @param operation one of those of {@link Script}
     * @param since 0 = an absent key is unused
     */
    List<byte[]> arguments(int operation, long permits, long since) {
        return List.of(bytes(operation), bytes(permits), bytes(since), rule);
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
        return parameters.get(isEven() ? 3 : 2);
    }

    /** The operation that counts permits also beyond the limit. */
    int charge() {
        return settled == null || isEven() ? Script.CHARGE : Script.OVERDRAW;
    }

    /**
     * The arguments of a refund of permits of a limit by cost.
     *
     * @param grantedAt microseconds by the server
     */
    List<byte[]> refund(long permits, long grantedAt) {
        return isEven()
                ? arguments(Script.CHARGE, -permits, 0)
                : List.of(bytes(Script.OVERDRAW), bytes(-permits), bytes(0), rule, bytes(grantedAt));
    }

    private boolean isEven() {
        return script.name().equals("bucket") || script.name().equals("ban");
    }

    private static byte[] bytes(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether permits may be taken in advance: a batch that is refused would ban the key. */
    boolean allowsBatches() {
        return !script.name().equals("ban");
    }

    /** As {@link dev.weir.store.StoreLimit#refilled}; of several rates, the one that refills most. */
    long refilled(long nanos) {
        if (!isEven()) {
            return -1;
        }
        BigInteger micros = BigInteger.valueOf(Math.max(0, nanos) / NANOS);
        long most = 0;
        for (int i = 0; i + EvenRate.PARAMETERS <= parameters.size(); i += EvenRate.PARAMETERS) {
            BigInteger units = micros.multiply(BigInteger.valueOf(parameters.get(i)));
            BigInteger permits = units.divide(BigInteger.valueOf(parameters.get(i + 1)));
            most = Math.max(most, permits.bitLength() < Long.SIZE ? permits.longValue() : Long.MAX_VALUE);
        }
        return most;
    }

    /**
     * What a script answered.
     *
     * @throws IllegalArgumentException if no script answers so
     */
    static Reply reply(List<Long> answer) {
        if (answer.size() != ANSWERS) {
            throw new IllegalArgumentException("the answer must have " + ANSWERS + " numbers, was " + answer);
        }
        long retry = answer.get(4);
        return new Reply(
                answer.get(0),
                answer.get(1),
                answer.get(2),
                nanos(answer.get(3)),
                retry < 0 ? Reply.NEVER : nanos(retry),
                answer.get(6),
                Math.max(0, serverMicros(answer)));
    }

    private static long nanos(long micros) {
        return micros > Long.MAX_VALUE / NANOS ? Long.MAX_VALUE : micros * NANOS;
    }

    /** The time of the server in microseconds. */
    static long serverMicros(List<Long> answer) {
        return answer.get(5);
    }
}
