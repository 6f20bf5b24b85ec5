package dev.weir.store.contract;

import dev.weir.store.Reply;
import java.util.concurrent.TimeUnit;

/**
 * The answer of a store that counts in microseconds.
 *
 * @param reset microseconds
 * @param retry microseconds, -1 = never
 * @param healed 1 = the call replaced what was no state
 */
public record ModelAnswer(long granted, long remaining, long limit, long reset, long retry, long healed) {
    public static final int ACQUIRE = 0;
    public static final int ACQUIRE_UP_TO = 1;
    public static final int CHARGE = 2;
    public static final int ACQUIRE_ONCE = 3;
    public static final int OVERDRAW = 4;

    public ModelAnswer(long granted, long remaining, long limit, long reset, long retry) {
        this(granted, remaining, limit, reset, retry, 0);
    }

    public ModelAnswer healing(long values) {
        return new ModelAnswer(granted, remaining, limit, reset, retry, values);
    }

    /** The answer of a store. */
    public static ModelAnswer of(Reply reply) {
        long retry = reply.retryAfterNanos();
        return new ModelAnswer(
                reply.granted(),
                reply.remaining(),
                reply.limit(),
                TimeUnit.NANOSECONDS.toMicros(reply.resetNanos()),
                retry == Reply.NEVER ? -1 : TimeUnit.NANOSECONDS.toMicros(retry),
                reply.healed());
    }
}
