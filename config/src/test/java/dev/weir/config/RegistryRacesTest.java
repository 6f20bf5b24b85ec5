package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.LimiterView;
import dev.weir.engine.ManagedLimiter;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What documents, code and a close do to a registry at the same time. */
class RegistryRacesTest extends RegistryFixture {
    @Test
    void whatIsAppliedWhileTheRegistryClosesIsClosedToo() {
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry = builder().build();
        List<LimiterView> made = new ArrayList<>();
        registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                made.add(limiter);
                if (limiter.name().equals("b")) {
                    registry.close();
                }
                return () -> {};
            }
        });
        write("limits: { a: { concurrency: 1 }, b: { concurrency: 1 }, c: { concurrency: 1, adaptive: true } }");
        for (String name : registry.names().names()) {
            assertInstanceOf(Rejection.class, registry.limiter(name).tryAcquire(), name);
            assertNull(registry.limiter(name).status().control(), name);
        }
        made.forEach(limiter -> assertInstanceOf(
                Rejection.class, limiter(registry, limiter.name()).tryAcquire()));
    }

    private static ManagedLimiter limiter(LimiterRegistry registry, String name) {
        return Objects.requireNonNull(registry.names().table().entry(name).local())
                .limiter();
    }

    @Test
    void aDeclarationDuringARemovalIsNotLost() throws Exception {
        source.write("limits: {}");
        LimiterRegistry registry = builder().build();
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < 3000; i++) {
                String name = "a" + i;
                source.write("limits: { " + name + ": { concurrency: 3 } }");
                CyclicBarrier together = new CyclicBarrier(2);
                var declared = other.submit(() -> {
                    together.await();
                    return registry.limiter(name, new Semaphore(2));
                });
                together.await();
                source.write("removed: [" + name + "]\nlimits: {}");
                NamedLimiter limiter = declared.get();
                assertEquals(2, granted(limiter), name);
                assertEquals(2, granted(registry.limiter(name)), name);
            }
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void racesOfAllThatARegistryOffersLeaveNothingOpen() throws Exception {
        List<NamedLimiter> seen = new CopyOnWriteArrayList<>();
        AtomicInteger bound = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int round = 0; round < 60; round++) {
            source.write("limits: { a: { concurrency: 1 } }");
            LimiterRegistry registry = builder().onEvent(event -> {}).build();
            List<Runnable> calls = List.of(
                    () -> source.write("limits: { b: { concurrency: 2, queue: 2, adaptive: true } }"),
                    () -> source.write("limits: { a: { rate: 2/s }, c: { concurrency: 1, executor: { threads: 1 } } }"),
                    () -> registry.limiter("b", new Semaphore(3)),
                    () -> registry.names().names().forEach(name -> {
                        seen.add(registry.limiter(name));
                        registry.limiter(name).acquireAsync(Request.ONE);
                    }),
                    () -> registry.names().executor("c").execute(() -> {}),
                    () -> registry.names().observe(new RegistryObserver() {
                        @Override
                        public Registration onLimiter(LimiterView limiter) {
                            bound.incrementAndGet();
                            return bound::decrementAndGet;
                        }
                    }));
            List<Thread> threads = new ArrayList<>();
            for (Runnable call : calls) {
                threads.add(new Thread(() -> repeat(call, failure)));
            }
            threads.forEach(Thread::start);
            Thread closing = new Thread(registry::close);
            closing.start();
            for (Thread thread : threads) {
                thread.join();
            }
            closing.join();
            registry.names()
                    .names()
                    .forEach(name -> assertInstanceOf(
                            Rejection.class, registry.limiter(name).tryAcquire(), name));
            assertEquals(0, bound.get());
            seen.forEach(limiter -> assertInstanceOf(Rejection.class, limiter.tryAcquire(), limiter.name()));
            seen.clear();
            assertNull(failure.get());
        }
    }

    private static void repeat(Runnable call, AtomicReference<Throwable> failure) {
        for (int i = 0; i < 20; i++) {
            try {
                call.run();
            } catch (IllegalArgumentException | IllegalStateException | RejectedExecutionException expected) {
                // The name is gone, or the registry is closed.
            } catch (Throwable t) {
                failure.set(t);
            }
        }
    }
}
