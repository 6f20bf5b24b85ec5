package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.document.Readers;
import dev.weir.named.status.ConfigEvent.Overridden;
import dev.weir.named.status.ConfigEvent.Refused;
import dev.weir.named.status.LimitOverride;
import dev.weir.named.status.RegistryObserver;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.queue.QueueView;
import dev.weir.spi.Registration;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An override while another thread is changing the same name: that thread brings it in force. */
class OverridePendingTest extends RegistryFixture {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final CountDownLatch atWork = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    /** Has another thread stand still while it gives the name a queue. */
    private Thread changing(LimiterRegistry registry) throws InterruptedException {
        Registration unused = registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onQueue(QueueView queue) {
                atWork.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return () -> {};
            }
        });
        Thread other = new Thread(() -> write("limits: { a: { concurrency: 1, queue: 5 } }"));
        other.start();
        atWork.await();
        return other;
    }

    private static LimitOverride status(LimiterRegistry registry) {
        return Objects.requireNonNull(registry.limiter("a").status().override());
    }

    private void goOn(Thread other) throws InterruptedException {
        goOn.countDown();
        other.join();
    }

    @Test
    void isCalledPendingUntilItIsInForce() throws Exception {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 4 } }");
        Thread other = changing(registry);
        Registration hand = registry.override("a", "concurrency: 2", MINUTE, "ann", "incident 7");
        assertTrue(status(registry).pending());
        long old = registry.limiter("a").status().revision();
        assertThrows(
                RevisionChangedException.class,
                () -> registry.override("a", "concurrency: 3", MINUTE, "ben", "too late", old));
        assertTrue(registry.names().explain("a").toString().contains("; not in force yet"));
        assertFalse(events.stream().anyMatch(Overridden.class::isInstance), events::toString);
        goOn(other);
        assertFalse(status(registry).pending());
        assertEquals(old + 2, registry.limiter("a").status().revision());
        assertEquals(2, granted(registry.limiter("a")));
        assertTrue(events.stream()
                .anyMatch(event -> event instanceof Overridden told
                        && !told.ended()
                        && !told.override().pending()));
        hand.close();
        assertEquals(1, granted(registry.limiter("a")));
    }

    /** Creates strategies as long as it is asked to. */
    private record Fragile(long size, AtomicInteger creationsLeft) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            if (creationsLeft.getAndDecrement() <= 0) {
                throw new AssertionError("no more");
            }
            return new Semaphore(size).create(ticker);
        }
    }

    @Test
    void oneThatFailsLaterIsToldAndGone() throws Exception {
        AtomicInteger left = new AtomicInteger(100);
        source.write("limits: { a: { concurrency: 4 } }");
        LimiterRegistry registry =
                registry(Readers.with(new ForeignFactories.Algorithm("mine", size -> new Fragile(size, left))));
        Thread other = changing(registry);
        Registration hand = registry.override("a", "{ algorithm: mine, size: 9 }", MINUTE, "ann", "incident 7");
        assertTrue(status(registry).pending());
        left.set(0);
        goOn(other);
        assertNull(registry.limiter("a").status().override());
        Refused refused = assertInstanceOf(
                Refused.class,
                events.stream().filter(Refused.class::isInstance).findFirst().orElseThrow());
        assertEquals("override", refused.source());
        assertEquals("a", refused.problems().get(0).limiter());
        assertTrue(
                registry.names().explain("a").toString().contains("override by ann: cannot be put in force: no more"));
        assertEquals(1, granted(registry.limiter("a")));
        hand.close();
        assertEquals(1, granted(registry.limiter("a")));
    }

    @Test
    void aListenerOnTheThreadAtWorkMayOverrideToo() {
        source.write("limits: { a: { concurrency: 4 } }");
        List<LimitOverride> seen = new ArrayList<>();
        LimiterRegistry[] made = new LimiterRegistry[1];
        LimiterRegistry registry = builder()
                .onEvent(event -> {
                    if (event instanceof Overridden told
                            && told.override().who().equals("ann")
                            && !told.ended()) {
                        Registration unused = made[0].override("a", "concurrency: 3", MINUTE, "listener", "reacts");
                        seen.add(status(made[0]));
                    }
                })
                .build();
        made[0] = registry;
        Registration hand = registry.override("a", "concurrency: 2", MINUTE, "ann", "incident 7");
        assertTrue(seen.get(0).pending(), "it is in force when the round that told it has ended");
        assertFalse(status(registry).pending());
        assertEquals("listener", status(registry).who());
        assertEquals(3, granted(registry.limiter("a")));
        hand.close();
        assertEquals(3, granted(registry.limiter("a")));
    }
}
