package dev.weir.share;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.share.contract.MemoryRegistry;
import dev.weir.spi.Alarm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** With the threads and the time of the system. */
final class ShareThreadsTest {
    private static final Duration LEASE = Duration.ofMillis(1_500);

    private final MemoryRegistry server = new MemoryRegistry(Ticker.system(), Alarm.system());

    @Test
    void Z1_theQuotaIsDividedAndReturnedByRealThreads() {
        List<Share> shares = new ArrayList<>();
        List<ManagedLimiter> limiters = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                ManagedLimiter limiter = Limiters.of("orders", new Semaphore(1));
                limiters.add(limiter);
                shares.add(Share.builder("rate", server.open("i" + i, LEASE), 101)
                        .degraded(1)
                        .limiting(limiter));
            }
            reached(shares, List.of(26L, 25L, 25L, 25L), limiters);
            shares.get(0).close();
            reached(shares, List.of(0L, 34L, 34L, 33L), limiters);
            server.cut("i1");
            reached(shares, List.of(0L, 1L, 50L, 50L), limiters);
            server.restore("i1");
            reached(shares, List.of(0L, 34L, 34L, 33L), limiters);
        } finally {
            shares.forEach(Share::close);
        }
        assertEquals(0, sum(shares));
    }

    private static long sum(List<Share> shares) {
        return shares.stream().mapToLong(Share::share).sum();
    }

    private static void reached(List<Share> shares, List<Long> expected, List<ManagedLimiter> limiters) {
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            List<Long> now = shares.stream().map(Share::share).toList();
            return now.equals(expected);
        });
        for (int i = 0; i < expected.size(); i++) {
            long limit = limiters.get(i).snapshot().limit();
            assertTrue(limit <= expected.get(i) || expected.get(i) == 0, () -> "limit " + limit);
        }
    }
}
