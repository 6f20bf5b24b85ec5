package dev.weir.named.recorder;

import dev.weir.Rejection.Reason;
import java.time.Instant;
import java.util.Map;

/**
 * The figures of one limit in one second. They are not read at one instant.
 *
 * @param at when the second ended
 * @param limit the limit at its end
 * @param inFlight the permits in flight at its end
 * @param admitted requests granted in it, including those that were let through
 * @param passed requests over the limit that were let through in it
 * @param refused requests refused in it, by reason; only those that occurred
 * @param waiting how many requests waited in the queue at its end
 * @param oldestWaitNanos how long the oldest of them had waited; 0 if none waited
 * @param held for how long permits were held that were released in it: of one in 16, and of 3,200 at most
 * @param waits how long requests had waited whose wait ended in it: of 3,200 at most
 */
public record RecordedSecond(
        Instant at,
        long limit,
        long inFlight,
        long admitted,
        long passed,
        Map<Reason, Long> refused,
        int waiting,
        long oldestWaitNanos,
        Histogram held,
        Histogram waits) {
    /** Copies the reasons. */
    public RecordedSecond {
        refused = Map.copyOf(refused);
    }

    /** Requests refused in it, for any reason. */
    public long refusedInAll() {
        return refused.values().stream().mapToLong(Long::longValue).sum();
    }
}
