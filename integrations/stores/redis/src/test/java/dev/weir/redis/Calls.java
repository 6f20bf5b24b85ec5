package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.store.state.Operation;
import java.util.List;

/** The arguments of the script of limits for one call. */
final class Calls {
    private static final byte[] NO_KEY = {};

    private Calls() {}

    /** @param since 0 = an absent key is unused */
    static List<byte[]> of(RedisRate rate, int operation, long permits, long since) {
        return of(new RateCall(rate, NO_KEY, operation, permits, 0), since);
    }

    /** @param grantedAt microseconds by the server */
    static List<byte[]> refund(RedisRate rate, long permits, long grantedAt) {
        return of(rate.call(NO_KEY, Operation.REFUND, permits, grantedAt), 0);
    }

    private static List<byte[]> of(RateCall call, long since) {
        List<byte[]> arguments = RateCall.arguments(List.of(call));
        arguments.set(2, Long.toString(since).getBytes(US_ASCII));
        return arguments;
    }
}
