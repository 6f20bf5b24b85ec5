package dev.weir.redis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A call of the script of limits at one key.
 *
 * @param operation one of those of {@link Script}
 * @param permits less than 0 = a refund
 * @param grantedAt of a refund by {@link Script#OVERDRAW} the instant in microseconds of the server at which they were granted
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record RateCall(RedisRate rate, byte[] key, int operation, long permits, long grantedAt) {
    private static final int SIZE = 2 + 2 * Double.BYTES;
    private static final byte[] UNUSED = {'0'};

    /** The arguments of the script for all these calls: the calls, a rule, since, the other rules. */
    static List<byte[]> arguments(List<RateCall> calls) {
        List<RedisRate> rates = new ArrayList<>(1);
        ByteBuffer packed = ByteBuffer.allocate(calls.size() * SIZE);
        for (RateCall call : calls) {
            packed.put((byte) (indexOf(call.rate, rates) + 1))
                    .put((byte) call.operation)
                    .putDouble((double) call.permits)
                    .putDouble((double) call.grantedAt);
        }
        List<byte[]> arguments = new ArrayList<>(2 + rates.size());
        arguments.add(packed.array());
        arguments.add(rates.get(0).rule());
        arguments.add(UNUSED);
        for (RedisRate other : rates.subList(1, rates.size())) {
            arguments.add(other.rule());
        }
        return arguments;
    }

    private static int indexOf(RedisRate rate, List<RedisRate> rates) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i) == rate) {
                return i;
            }
        }
        rates.add(rate);
        return rates.size() - 1;
    }
}
