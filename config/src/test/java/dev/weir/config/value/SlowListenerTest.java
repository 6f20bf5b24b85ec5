package dev.weir.config.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A listener that does not return costs its own turn, and is told the newest value when it does. */
class SlowListenerTest {
    private final StoredValues stored = new StoredValues(() -> 0, Duration.ofMillis(500));
    private final ConfigValue<Integer> permits = stored.values.value("permits", int.class, 0);
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<Integer> slow = Collections.synchronizedList(new ArrayList<>());
    private final List<Integer> other = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void close() {
        stored.close();
    }

    private void hang(int permits) {
        slow.add(permits);
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (permits == 1) {
            throw new IllegalArgumentException("refused late");
        }
    }

    @Test
    void othersAreToldAllVersionsMeanwhile() {
        permits.onChange(this::hang);
        permits.onChange(other::add);
        assertEquals(
                List.of("v1: values.permits must be taken at once by its listener, which has not returned"),
                stored.apply(Map.of("permits", "1")));
        for (int version = 2; version <= 1000; version++) {
            assertEquals(List.of(), stored.apply(Map.of("permits", "" + version)));
        }
        assertEquals(1000, other.size());
        assertEquals(List.of(1), slow);
        assertTrue(stored.store.threads() < 20, "as many as hang, and not as many as there were versions");
        end.countDown();
        Awaitility.await().until(() -> slow.equals(List.of(1, 1000)));
    }

    @Test
    void whatIsRefusedLateIsReportedThen() {
        permits.onChange(this::hang);
        stored.apply(Map.of("permits", "1"));
        end.countDown();
        String problem =
                "v1: values.permits must be accepted by its listener, which threw java.lang.IllegalArgumentException";
        Awaitility.await().until(() -> stored.reports.equals(List.of(problem)));
        assertEquals(List.of(problem.replace("v1", "v2")), stored.apply(Map.of("permits", "1")));
    }

    @Test
    void anInterruptedThreadStillAppliesAll() {
        ConfigValue<Integer> burst = stored.values.value("burst", int.class, 0);
        burst.onChange(other::add);
        permits.onChange(other::add);
        Thread.currentThread().interrupt();
        stored.apply(Map.of("permits", "1", "burst", "2"));
        assertTrue(Thread.interrupted());
        assertEquals(2, burst.get());
        Awaitility.await().until(() -> other.size() == 2);
    }

    @Test
    void closingEndsTheThreads() throws InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(1);
        permits.onChange(n -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        stored.apply(Map.of("permits", "1"));
        stored.close();
        interrupted.await();
        stored.apply(Map.of("permits", "2"));
        assertEquals(2, permits.get());
    }
}
