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

    /**
     * An operation as the product sends it.
     *
     * @param grantedAt of a refund, microseconds by the server
     * @param since 0 = an absent key is unused
     */
    static List<byte[]> of(RedisRate rate, Operation operation, long permits, long grantedAt, long since) {
        return of(rate.call(NO_KEY, operation, permits, grantedAt), since);
    }

    private static List<byte[]> of(RateCall call, long since) {
        List<byte[]> arguments = RateCall.arguments(List.of(call));
        arguments.set(2, Long.toString(since).getBytes(US_ASCII));
        return arguments;
    }
}
