package dev.weir.redis;

import dev.weir.spi.StrategySpec;
import dev.weir.store.rates.StateRates;
import dev.weir.store.state.Operation;
import dev.weir.store.state.StateRate;
import dev.weir.store.state.StateRule;
import java.nio.ByteBuffer;

/**
 * A rate as the script of limits counts it.
 *
 * @param rule the bytes with which each state of the rate begins, and those that only its calls have
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record RedisRate(StateRate rate, byte[] rule) {
    /** Scripts compute exactly up to twice this; no limit is as high. */
    private static final long MOST = 1L << 52;

    /**
     * A rate that counts each key by itself, so a {@link dev.weir.keyed.Keyed} is the same as the limit of one of its keys.
     *
     * @throws IllegalArgumentException if the script does not count this
     */
    static RedisRate of(StrategySpec spec) {
        StateRate rate = StateRates.of(spec);
        return new RedisRate(rate, rule(rate));
    }

    /* The states of a ban do not have the limit. */
    private static byte[] rule(StateRate rate) {
        byte[] head = rate.head();
        if (rate.rule() != StateRule.BAN) {
            return head;
        }
        return ByteBuffer.allocate(head.length + Double.BYTES)
                .put(head)
                .putDouble((double) rate.rates().get(0).limit())
                .array();
    }

    /**
     * A call at a key.
     *
     * @param permits less than 0 only of a charge; of a refund, how many are refunded
     * @param grantedAt of a refund, as {@link dev.weir.store.StoreLimit#refund}; else 0
     */
    RateCall call(byte[] key, Operation operation, long permits, long grantedAt) {
        long bounded = Math.max(-MOST, Math.min(MOST, permits));
        int overdraw = bounded > 0 && !isEven() ? Script.OVERDRAW : Script.CHARGE;
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
        return rate.rule() == StateRule.EVEN || rate.rule() == StateRule.BAN;
    }
}
