package dev.weir.redis;

import dev.weir.spi.StrategySpec;
import dev.weir.store.rates.StateRates;
import dev.weir.store.state.Operation;
import dev.weir.store.state.Rule;
import dev.weir.store.state.StateRate;
import java.nio.ByteBuffer;

/** A rate as the script of limits counts it. Immutable. */
final class RedisRate {
    /** Scripts compute exactly up to twice this; no limit is as high. */
    private static final long MOST = 1L << 52;

    private final StateRate rate;
    private final byte[] rule;

    private RedisRate(StateRate rate) {
        this.rate = rate;
        this.rule = rule(rate);
    }

    /**
     * A rate that counts each key by itself, so a {@link dev.weir.keyed.Keyed} is the same as the limit of one of its keys.
     *
     * @throws IllegalArgumentException if the script does not count this
     */
    static RedisRate of(StrategySpec spec) {
        return new RedisRate(StateRates.of(spec));
    }

    /* The states of a ban do not have the limit. */
    private static byte[] rule(StateRate rate) {
        byte[] head = rate.head();
        if (rate.rule() != Rule.BAN) {
            return head;
        }
        return ByteBuffer.allocate(head.length + Double.BYTES)
                .put(head)
                .putDouble((double) rate.rates().get(0).limit())
                .array();
    }

    /** The bytes with which each state of the rate begins, and those that only its calls have. */
    byte[] rule() {
        return rule;
    }

    /** Whether it takes the cost of a request. */
    boolean countsCost() {
        return rate.countsCost();
    }

    /**
     * A call at a key.
     *
     * @param permits less than 0 only of a charge; of a refund, how many are refunded
     * @param grantedAt of a refund, as {@link dev.weir.store.StoreLimit#refund}; else 0
     */
    RateCall call(byte[] key, Operation operation, long permits, long grantedAt) {
        long bounded = Math.max(-MOST, Math.min(MOST, permits));
        int overdraw = rate.countsCost() && !isEven() ? Script.OVERDRAW : Script.CHARGE;
        return switch (operation) {
            case ACQUIRE -> {
                boolean isOnce = rate.grantsMoreOnce() && bounded > rate.largest();
                yield new RateCall(this, key, isOnce ? Script.ACQUIRE_ONCE : Script.ACQUIRE, bounded, 0);
            }
            case ACQUIRE_UP_TO -> new RateCall(this, key, Script.ACQUIRE_UP_TO, bounded, 0);
            case CHARGE -> new RateCall(this, key, overdraw, bounded, 0);
            case REFUND -> new RateCall(this, key, isEven() ? Script.CHARGE : Script.OVERDRAW, -bounded, grantedAt);
        };
    }

    private boolean isEven() {
        return rate.rule() == Rule.EVEN || rate.rule() == Rule.BAN;
    }

    /** Whether permits may be taken in advance: a batch that is refused would ban the key. */
    boolean allowsBatches() {
        return rate.allowsBatches();
    }

    /** As {@link dev.weir.store.StoreLimit#refilled}; of several rates, the one that refills most. */
    long refilled(long nanos) {
        return rate.refilled(nanos);
    }
}
