package dev.weir.samples;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.LimiterView;
import dev.weir.named.plan.Caps;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The bound of the ledger is never below the limit in force, whoever writes the document, and soon the same. */
class LedgerSourceTest implements LimiterObserver {
    private final MemoryStore store = new MemoryStore();
    private final Ledger ledger = new Ledger(40);
    private final LedgerSource source = new LedgerSource(store.source(), ledger, "service", 40, 100);
    private final BlockingQueue<ConfigEvent> events = new LinkedBlockingQueue<>();
    private final LimiterRegistry registry;
    private volatile boolean wasBelow;

    LedgerSourceTest() throws InterruptedException {
        write(1, "concurrency: 40");
        registry = LimiterRegistry.builder().source(source).onEvent(events::add).build();
        registry.names().limiter("service", new Semaphore(40), Caps.concurrency(100));
        registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                return limiter.observe(LedgerSourceTest.this);
            }
        });
        events.take();
    }

    /** The lower limit is in force when this is called, and the higher one was or is. */
    @Override
    public void onLimitChanged(long from, long to, String why) {
        wasBelow |= ledger.bound() < Math.max(from, to);
    }

    @AfterEach
    void close() {
        registry.close();
        assertTrue(!wasBelow, "the bound was below the limit");
    }

    private void write(int version, String service) {
        store.write("{ document: { version: " + version + " }, limits: { service: { " + service + " } } }");
    }

    private void awaitBound(long expected) throws InterruptedException {
        events.take();
        await().until(() -> ledger.bound() == expected);
    }

    @Test
    void followsTheLimitUpAndDown() throws InterruptedException {
        write(2, "concurrency: 60");
        awaitBound(60);
        write(3, "concurrency: 12");
        awaitBound(12);
        write(4, "concurrency: 30, algorithm: counter");
        awaitBound(30);
    }

    @Test
    void aDocumentThatIsRefusedLeavesTheBound() throws InterruptedException {
        write(1, "concurrency: 60");
        awaitBound(40);
        store.write("}{");
        awaitBound(40);
    }

    @Test
    void aLimitThatIsWrongOrAboveTheCapLeavesTheBound() throws InterruptedException {
        write(2, "concurrency: -1");
        awaitBound(40);
        write(3, "concurrency: 101");
        awaitBound(40);
    }

    @Test
    void aLimitThatIsRemovedIsTheOneThatCodeDeclares() throws InterruptedException {
        write(2, "concurrency: 12");
        awaitBound(12);
        store.write("{ document: { version: 3 }, limits: {} }");
        awaitBound(40);
    }

    @Test
    void anAdaptedLimitIsBoundedByTheCap() throws InterruptedException {
        write(2, "concurrency: 12, adaptive: { min: 1, max: 90 }");
        awaitBound(100);
    }

    @Test
    void ofAStagedLimitTheHigherVariantCounts() throws InterruptedException {
        write(2, "concurrency: 12, rollout: { percent: 50, to: { concurrency: 50 } }");
        awaitBound(50);
    }
}
