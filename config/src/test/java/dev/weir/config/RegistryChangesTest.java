package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.config.value.ConfigValue;
import dev.weir.engine.LimiterView;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigEvent.Changed;
import dev.weir.named.status.ConfigEvent.Refused;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Documents that change what a limit is, how many there are, or only their revision. */
class RegistryChangesTest extends RegistryFixture {
    @Test
    void aControlledLimitMayBecomeARateAndBack() {
        source.write("limits: { a: { concurrency: 5, adaptive: { min: 2, max: 10 } } }");
        LimiterRegistry registry = builder().build();
        for (String other : List.of(
                "{ rate: 6/s }",
                "{ concurrency: 6, adaptive: { min: 3, max: 9 } }",
                "{ all-of: [ { concurrency: 6 }, { rate: 100/s } ], adaptive: { min: 3, max: 9 } }",
                "{ concurrency: 6 }",
                "{ rate: 6/s, adaptive: { min: 3, max: 9 } }",
                "{ algorithm: sliding-window, rate: 6/s }")) {
            write("limits: { a: " + other + " }");
            assertEquals(List.of(), assertInstanceOf(Changed.class, last()).problems(), other);
            time.advance(Duration.ofSeconds(10));
            int granted = granted(registry.limiter("a"));
            assertTrue(other.contains("adaptive") ? granted >= 3 && granted <= 9 : granted == 6, other + granted);
        }
    }

    @Test
    void theSameDocumentAtAHigherRevisionMovesTheRevisionForward() {
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry = builder().build();
        source.write("limits: { a: { concurrency: 1 } }");
        source.write("limits: { a: { concurrency: 1 } }");
        source.put(half("limits: { a: { concurrency: 2 } }").revision(2).whole());
        time.advance(Duration.ofSeconds(2));
        assertInstanceOf(Refused.class, last());
        assertEquals(1, granted(registry.limiter("a")));
    }

    @Test
    void tenThousandLimitsComeChangeAndGo() {
        source.write("limits: {}");
        LimiterRegistry registry = builder().build();
        AtomicInteger bound = new AtomicInteger();
        registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                bound.incrementAndGet();
                return bound::decrementAndGet;
            }
        });
        for (int concurrency = 1; concurrency < 4; concurrency++) {
            StringBuilder document = new StringBuilder("limits:\n");
            for (int i = 0; i < 10_000; i++) {
                document.append("  l").append(i).append(": { concurrency: ");
                document.append(concurrency).append(", queue: 3 }\n");
            }
            write(document.toString());
            assertEquals(List.of(), assertInstanceOf(Changed.class, last()).problems());
            assertEquals(10_000, bound.get());
            assertEquals(concurrency, granted(registry.limiter("l9999")));
        }
        write("removed: [" + IntStream.range(0, 10_000).mapToObj(i -> "l" + i).collect(Collectors.joining(", "))
                + "]\nlimits: {}");
        assertEquals(0, bound.get());
        assertEquals(List.of(), registry.names().names());
    }

    @Test
    void aQueueFollowsItsLimitFromConcurrencyToARateAndBack() {
        source.write("limits: { a: { concurrency: 1, queue: { capacity: 9, max-wait: 1h } } }");
        LimiterRegistry registry = builder().build();
        NamedLimiter queue = registry.limiter("a");
        Permit held = assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiting.add(queue.acquireAsync(Request.ONE));
        }
        write("limits: { a: { rate: 1/s, queue: { capacity: 9, max-wait: 1h } } }");
        time.advance(Duration.ofMillis(400));
        long granted = 6 - Objects.requireNonNull(queue.status().queue()).length();
        assertTrue(granted >= 2 && granted <= 4, "granted " + granted);
        write("limits: { a: { concurrency: 9, queue: { capacity: 9, max-wait: 1h } } }");
        waiting.forEach(each -> ((Permit) each.join()).release(Outcome.SUCCESS));
        held.release(Outcome.SUCCESS);
        assertEquals(0, registry.limiter("a").snapshot().inFlight());
        assertEquals(9, granted(registry.limiter("a")));
    }

    @Test
    void aValueThatCannotBeReadStaysAsItIs() {
        try (LimiterRegistry registry = registry("limits: {}\nvalues: { pair: { a: 1, b: 1 } }")) {
            ConfigValue<Integer> a = registry.values().value("pair.a", int.class, 0);
            ConfigValue<Integer> b = registry.values().value("pair.b", int.class, 0);
            write("limits: {}\nvalues: { pair: { a: 2, b: } }");
            assertEquals(
                    List.of("memory:2:25: values.pair.b must have a value"),
                    changed().problems().stream().map(Object::toString).toList());
            assertEquals(List.of(2, 1), List.of(a.get(), b.get()));
            write("limits: {}\nvalues: { pair: { a: 2, b: 3 } }");
            assertEquals(3, b.get());
        }
    }
}
