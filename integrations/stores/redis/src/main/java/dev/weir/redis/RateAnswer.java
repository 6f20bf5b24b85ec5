package dev.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.weir.store.Reply;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The answer of the script of limits to one call.
 *
 * @param reply null = the call has failed
 * @param failure null = it has not
 */
record RateAnswer(@Nullable Reply reply, @Nullable Throwable failure) {
    /** The results of each call. */
    static final int RESULTS = 7;

    private static final int RETRY = 4;
    private static final int TIME = 5;
    private static final int HEALED = 6;

    static RateAnswer failed(Throwable failure) {
        return new RateAnswer(null, failure);
    }

    /**
     * The results of one call.
     *
     * @throws IllegalArgumentException if no script answers so
     */
    static RateAnswer of(List<?> results) {
        if (results.size() != RESULTS) {
            throw new IllegalArgumentException("the answer must have " + RESULTS + " results, was " + results);
        }
        if (results.get(0) instanceof byte[] why) {
            return failed(new IllegalStateException(new String(why, UTF_8)));
        }
        long retry = number(results, RETRY);
        return new RateAnswer(
                new Reply(
                        number(results, 0),
                        number(results, 1),
                        number(results, 2),
                        MICROSECONDS.toNanos(number(results, 3)),
                        retry < 0 ? Reply.NEVER : MICROSECONDS.toNanos(retry),
                        number(results, HEALED),
                        Math.max(0, serverMicros(results))),
                null);
    }

    private static long number(List<?> results, int index) {
        return (Long) results.get(index);
    }

    static long serverMicros(List<?> results) {
        return number(results, TIME);
    }

    /**
     * The reply.
     *
     * @throws CompletionException if the call has failed
     */
    Reply get() {
        if (reply == null) {
            throw new CompletionException(failure);
        }
        return reply;
    }
}
