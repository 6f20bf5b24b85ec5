package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RetriesTest {
    private static final long HOUR = 3_600_000_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final List<StoreRequest> retried = new ArrayList<>();
    private final Retries retries = new Retries(time, time, retried::add);

    private StoreRequest waiting(long due) {
        StoreRequest request = new StoreRequest(Request.ONE, time.read() + HOUR, true, null);
        assertTrue(retries.add(request, time.read() + due));
        return request;
    }

    @Test
    void requestsThatTheirOwnersGaveUpLeaveNothingBehind() {
        List<StoreRequest> kept = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            CompletableFuture<Decision> future = waiting(HOUR).future();
            assertTrue(future.cancel(false));
            if (i % 1_000 == 0) {
                kept.add(waiting(HOUR));
            }
        }
        List<StoreRequest> left = retries.close();
        assertTrue(left.size() < 1_000, () -> "left " + left.size());
        assertTrue(left.containsAll(kept));
    }

    @Test
    void requestsThatWaitAreTriedAtTheirTime() {
        StoreRequest later = waiting(2_000_000);
        StoreRequest first = waiting(1_000_000);
        time.advance(Duration.ofMillis(1));
        assertEquals(List.of(first), retried);
        later.complete(new Rejection("test", Reason.RATE, 0, 0));
        time.advance(Duration.ofMillis(1));
        assertEquals(List.of(first, later), retried);
    }
}
