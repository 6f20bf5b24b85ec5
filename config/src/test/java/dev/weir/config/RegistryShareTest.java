package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.Problem;
import dev.weir.share.Share;
import dev.weir.share.contract.MemoryRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Limits that are a share of a quota, for several instances with one document. */
class RegistryShareTest extends RegistryFixture {
    private static final Duration LEASE = Duration.ofSeconds(3);

    private final MemoryRegistry server = new MemoryRegistry(time, time);
    private int instances;

    @Override
    LimiterRegistry.Builder builder() {
        return super.builder().shares("memory", server.open("i" + instances++, LEASE));
    }

    private static String orders(String limit, String share) {
        return "limits: { orders: { " + limit + ", share: { of: memory, degraded: 1, " + share + " } } }";
    }

    private void settle() {
        for (int i = 0; i < 300; i++) {
            time.advance(Duration.ofMillis(100));
        }
    }

    private List<LimiterRegistry> started(int count) {
        List<LimiterRegistry> registries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            registries.add(builder().build());
        }
        settle();
        return registries;
    }

    private static List<Integer> granted(List<LimiterRegistry> registries) {
        return registries.stream()
                .map(registry -> granted(registry.limiter("orders")))
                .toList();
    }

    private static Share share(LimiterRegistry registry) {
        return Objects.requireNonNull(registry.names().table().entry("orders").local())
                .share();
    }

    @Test
    void Z1_theLimitsOfAllInstancesAddUpToTheQuota() {
        source.write(orders("concurrency: 1", "quota: 40"));
        List<LimiterRegistry> registries = started(4);
        assertEquals(List.of(10, 10, 10, 10), granted(registries));
        assertEquals(10, registries.get(0).limiter("orders").status().share().share());

        registries.get(3).close();
        settle();
        assertEquals(
                40,
                granted(registries.subList(0, 3)).stream()
                        .mapToInt(each -> each)
                        .sum());
        registries.forEach(LimiterRegistry::close);
    }

    @Test
    void aLimiterGrantsNothingBeforeItHasAShare() {
        server.cut("i0");
        source.write(orders("concurrency: 30", "quota: 40"));
        LimiterRegistry registry = builder().build();
        assertEquals(0, granted(registry.limiter("orders")));
        server.restore("i0");
        settle();
        assertEquals(40, granted(registry.limiter("orders")));
        registry.close();
    }

    @Test
    void anotherQuotaGoesToTheRunningShare() {
        source.write(orders("concurrency: 1", "quota: 40"));
        LimiterRegistry registry = started(1).get(0);
        Share share = share(registry);
        write(orders("concurrency: 1", "quota: 50"));
        settle();
        assertSame(share, share(registry));
        assertEquals(50, granted(registry.limiter("orders")));
        registry.close();
    }

    @Test
    void anythingElseIsAnotherShare() {
        source.write(orders("concurrency: 1", "quota: 40"));
        LimiterRegistry registry = started(1).get(0);
        NamedLimiter orders = registry.limiter("orders");
        Share share = share(registry);
        for (String next : List.of(
                orders("concurrency: 1", "quota: 40, by: weight, weight: 3"),
                orders("concurrency: 1", "quota: 40, by: demand"),
                orders("rate: 1/s", "quota: 40"),
                orders("concurrency: 2, algorithm: counter", "quota: 40"))) {
            write(next);
            settle();
            assertTrue(share != share(registry), next);
            share = share(registry);
            assertEquals(40, granted(orders), next);
        }
        registry.close();
    }

    @Test
    void hotKeysAreRecordedUnderAShare() {
        source.write(orders("rate: 1M/s, key: user, hot-keys: true", "quota: 2M"));
        LimiterRegistry registry = started(1).get(0);
        NamedLimiter orders = registry.limiter("orders");
        for (int i = 0; i < 2000; i++) {
            assertInstanceOf(Permit.class, orders.tryAcquire(Request.forKey("ann")));
        }
        assertEquals(
                "ann",
                Objects.requireNonNull(orders.status().hotKeys())
                        .heaviest(1)
                        .get(0)
                        .label());
        registry.close();
    }

    @Test
    void aLimitMayGetAndLoseItsShare() {
        source.write("limits: { orders: { concurrency: 7 } }");
        LimiterRegistry registry = started(1).get(0);
        NamedLimiter orders = registry.limiter("orders");
        for (int i = 0; i < 3; i++) {
            write(orders("concurrency: 7", "quota: 40"));
            settle();
            assertEquals(40, granted(orders));
            write("limits: { orders: { concurrency: 7 } }");
            assertEquals(7, granted(orders));
            assertNull(share(registry));
        }
        write("limits: { orders: { concurrency: 7, adaptive: { min: 3, max: 9 } } }");
        settle();
        write(orders("concurrency: 7", "quota: 40"));
        settle();
        assertEquals(40, granted(orders));
        write("limits: { orders: { concurrency: 2, adaptive: { min: 3, max: 9 } } }");
        assertEquals(3, granted(orders));
        write("limits: { orders: { all-of: [ { rate: 100/s }, { concurrency: 2 } ] } }");
        assertEquals(2, granted(orders));
        write(orders("concurrency: 2", "quota: 40"));
        settle();
        assertEquals(40, granted(orders));
        write("limits: { orders: { concurrency: 2 } }");
        assertEquals(2, granted(orders));
        registry.close();
    }

    @Test
    void Z3_withoutTheRegistryALimiterHasNoMoreThanItsDegradedShare() {
        source.write(orders("concurrency: 1", "quota: 40"));
        LimiterRegistry registry = started(1).get(0);
        server.cut("i0");
        settle();
        assertEquals(1, granted(registry.limiter("orders")));
        server.restore("i0");
        settle();
        assertEquals(40, granted(registry.limiter("orders")));
        registry.close();
    }

    @Test
    void aRemovedLimitLeavesItsShareToOthers() {
        source.write(orders("concurrency: 1", "quota: 40"));
        List<LimiterRegistry> registries = started(2);
        NamedLimiter first = registries.get(0).limiter("orders");
        source.write("removed: [orders]\nlimits: {}");
        settle();
        assertEquals(
                Reason.CANCELLED,
                assertInstanceOf(Rejection.class, first.tryAcquire()).reason());
        source.write(orders("concurrency: 1", "quota: 40"));
        settle();
        assertEquals(List.of(20, 20), granted(registries));
        registries.forEach(LimiterRegistry::close);
    }

    @Test
    void anUnknownRegistryIsAProblemByLineAndTheLastGoodStays() {
        source.write("limits: { orders: { concurrency: 7 } }");
        LimiterRegistry registry = started(1).get(0);
        write("limits:\n  orders: { concurrency: 1, share: { quota: 40, of: zookeeper, degraded: 0 } }");
        assertEquals(
                List.of("memory:2:36: orders: share.of must be one of [memory], which code gives, was zookeeper"),
                changed().problems().stream().map(Problem::toString).toList());
        assertEquals(7, granted(registry.limiter("orders")));
        registry.close();
    }

    @Test
    void theCapsOfCodeAreForTheWholeQuota() {
        source.write(orders("concurrency: 1", "quota: 40"));
        LimiterRegistry registry = builder().build();
        registry.names().limiter("orders", new Semaphore(5), Caps.concurrency(39));
        settle();
        assertEquals(5, granted(registry.limiter("orders")));
        registry.close();
    }

    @Test
    void aWaiterIsGrantedWhenTheShareComesBackWithoutARelease() {
        source.write("limits: { orders: { concurrency: 1, queue: { capacity: 9, max-wait: 1h },"
                + " share: { of: memory, degraded: 0, quota: 40 } } }");
        LimiterRegistry registry = started(1).get(0);
        server.cut("i0");
        settle();
        CompletableFuture<Decision> waiting = registry.limiter("orders").acquireAsync(Request.ONE, Duration.ofHours(1));
        settle();
        assertFalse(waiting.isDone());
        server.restore("i0");
        settle();
        assertInstanceOf(Permit.class, waiting.join()).close();
        registry.close();
    }
}
