package dev.weir.samples;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.Caps;
import dev.weir.config.ConfigEvent;
import dev.weir.config.LimiterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The bound of the ledger is never below the limit in force, whoever writes the document. */
class LedgerSourceTest {
    private final MemoryStore store = new MemoryStore();
    private final Ledger ledger = new Ledger(40);
    private final LedgerSource source = new LedgerSource(store.source(), ledger, "service", 40, 100);
    private final List<Long> bounds = new CopyOnWriteArrayList<>();
    private final LimiterRegistry registry;

    LedgerSourceTest() {
        write(1, "concurrency: 40");
        registry = LimiterRegistry.builder()
                .source(source)
                .executor(Runnable::run)
                .onEvent(this::heard)
                .build();
        registry.limiter("service", new Semaphore(40), Caps.concurrency(100));
        bounds.clear();
    }

    @AfterEach
    void close() {
        registry.close();
    }

    /** The bounds while the document was applied, and after. */
    private void heard(ConfigEvent event) {
        bounds.add(ledger.bound());
        source.decided(event);
        bounds.add(ledger.bound());
    }

    private void write(int version, String service) {
        store.write("{ document: { version: " + version + " }, limits: { service: { " + service + " } } }");
    }

    private void assertBounds(Long... expected) {
        await().untilAsserted(() -> assertEquals(List.of(expected), List.copyOf(bounds)));
    }

    @Test
    void aRaiseIsKnownBeforeItIsInForce() {
        write(2, "concurrency: 60");
        assertBounds(60L, 60L);
    }

    @Test
    void aLoweringIsKnownAfterItIsInForce() {
        write(2, "concurrency: 12");
        assertBounds(40L, 12L);
    }

    @Test
    void aDocumentThatIsRefusedLeavesTheBound() {
        write(1, "concurrency: 60");
        assertBounds(60L, 40L);
    }

    @Test
    void aLimitThatIsWrongOrAboveTheCapLeavesTheBound() {
        write(2, "concurrency: -1");
        assertBounds(40L, 40L);
        bounds.clear();
        write(3, "concurrency: 101");
        assertBounds(101L, 40L);
    }

    @Test
    void whatIsNoDocumentLeavesTheBound() {
        store.write("}{");
        assertBounds(40L, 40L);
    }

    @Test
    void aLimitThatIsRemovedIsTheOneThatCodeDeclares() {
        write(2, "concurrency: 12");
        assertBounds(40L, 12L);
        bounds.clear();
        store.write("{ document: { version: 3 }, limits: {} }");
        assertBounds(40L, 40L);
    }

    @Test
    void anAdaptedLimitIsBoundedByTheCap() {
        write(2, "concurrency: 12, adaptive: { min: 1, max: 90 }");
        assertBounds(100L, 100L);
    }

    @Test
    void ofAStagedLimitTheHigherVariantCounts() {
        write(2, "concurrency: 12, rollout: { percent: 50, to: { concurrency: 50 } }");
        assertBounds(50L, 50L);
    }
}
