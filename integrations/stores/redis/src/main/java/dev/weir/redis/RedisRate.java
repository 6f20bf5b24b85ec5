package dev.weir.redis;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.rates.StateRates;
import dev.weir.store.state.Rule;
import dev.weir.store.state.StateRate;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The form of a rate in which its script counts it. */
final class RedisRate {
    private static final long NANOS = 1_000;
    private static final int ANSWERS = 7;

    private final Script script;
    private final StateRate rate;
    private final byte[] rule;

    private RedisRate(Script script, StateRate rate) {
        this.script = script;
        this.rate = rate;
        String list = parameters(rate).stream().map(String::valueOf).collect(Collectors.joining(","));
        this.rule = list.getBytes(StandardCharsets.US_ASCII);
    }

    /** The same by another script. */
    RedisRate by(Script other) {
        return new RedisRate(other, rate);
    }

    Script script() {
        return script;
    }

    /**
     * A rate that counts each key by itself, so a {@link dev.weir.keyed.Keyed} is the same as the limit of one of its keys.
     *
     * @throws IllegalArgumentException if no script counts this
     */
    static RedisRate of(StrategySpec spec) {
        StateRate rate = StateRates.of(spec);
        return new RedisRate(Script.of(script(rate.rule())), rate);
    }

    private static String script(Rule rule) {
        return switch (rule) {
            case EVEN -> "bucket";
            case BAN -> "ban";
            case FIXED -> "fixed";
            case WINDOW -> "windows";
            case LOG -> "log";
        };
    }

    /** A state of a ban does not have all parameters of its rate. */
    private static List<Long> parameters(StateRate rate) {
        if (rate.rule() != Rule.BAN) {
            return rate.parameters();
        }
        List<Long> parameters = new ArrayList<>(StateRate.even(rate.rates()).parameters());
        parameters.add(rate.parameters().get(4));
        return parameters;
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
        return rate.countsCost();
    }

    /** The operation that takes all of so many permits or none. */
    int acquire(long permits) {
        return rate.grantsMoreOnce() && permits > rate.largest() ? Script.ACQUIRE_ONCE : Script.ACQUIRE;
    }

    /** The operation that counts permits also beyond the limit. */
    int charge() {
        return !rate.countsCost() || isEven() ? Script.CHARGE : Script.OVERDRAW;
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
        return rate.rule() == Rule.EVEN || rate.rule() == Rule.BAN;
    }

    private static byte[] bytes(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether permits may be taken in advance: a batch that is refused would ban the key. */
    boolean allowsBatches() {
        return rate.allowsBatches();
    }

    /** As {@link dev.weir.store.StoreLimit#refilled}; of several rates, the one that refills most. */
    long refilled(long nanos) {
        return rate.refilled(nanos);
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
