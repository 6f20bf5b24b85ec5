package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.LimiterRegistry;
import dev.weir.spring.Limited;
import dev.weir.testkit.Oracle;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Scope;

/** Limited methods under load, counted from outside; and what stays of beans that are gone. */
class LimitedLoadTest {
    private static final int LIMIT = 3;
    private static final int THREADS = 8;
    private static final int CALLS = 500;

    private final LimiterRegistry registry = Started.document("""
            limits:
              checkout: { concurrency: 3, queue: { capacity: 100, max-wait: 1h } }
            """);
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void close() {
        threads.shutdownNow();
        registry.close();
    }

    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    static class Shop {
        private static final AtomicInteger INSIDE = new AtomicInteger();
        private static final AtomicInteger MOST = new AtomicInteger();

        private static void enter() {
            MOST.accumulateAndGet(INSIDE.incrementAndGet(), Math::max);
        }

        @Limited("checkout")
        int value(int i) {
            enter();
            try {
                if (i % 7 == 0) {
                    throw new IllegalStateException("made up");
                }
                return i;
            } finally {
                INSIDE.decrementAndGet();
            }
        }

        @Limited("checkout")
        CompletableFuture<Integer> stage(int i, CompletableFuture<Void> until) {
            enter();
            return until.thenApply(done -> {
                INSIDE.decrementAndGet();
                return i;
            });
        }
    }

    @Test
    void neverAreMoreInsideThanTheLimitAndAllAreAnswered() throws Exception {
        Shop.INSIDE.set(0);
        Shop.MOST.set(0);
        AtomicInteger failed = new AtomicInteger();
        try (var app = Started.with(registry.names(), Shop.class)) {
            CountDownLatch all = new CountDownLatch(THREADS);
            List<Future<?>> runs = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                boolean ofStages = thread % 2 == 0;
                Shop shop = app.getBean(Shop.class);
                runs.add(threads.submit(() -> {
                    all.countDown();
                    all.await();
                    for (int i = 1; i <= CALLS; i++) {
                        if (ofStages) {
                            CompletableFuture<Void> until = new CompletableFuture<>();
                            CompletableFuture<Integer> answer = shop.stage(i, until);
                            until.complete(null);
                            assertEquals(i, answer.get());
                        } else {
                            try {
                                assertEquals(i, shop.value(i));
                            } catch (IllegalStateException e) {
                                failed.incrementAndGet();
                            }
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> run : runs) {
                assertNull(run.get());
            }
            assertEquals(THREADS / 2 * (CALLS / 7), failed.get());
            assertTrue(Shop.MOST.get() <= LIMIT, () -> "inside at once: " + Shop.MOST);
            assertEquals(0, Shop.INSIDE.get());
            Oracle.assertCapacity(LIMIT, registry.limiter("checkout"));
        }
    }

    @Test
    void prototypesDoNotStay() {
        try (var app = Started.with(registry.names(), Shop.class)) {
            List<WeakReference<Shop>> gone = new ArrayList<>();
            for (int i = 1; i <= 10; i++) {
                Shop shop = app.getBean(Shop.class);
                assertEquals(i == 7 ? 8 : i, shop.value(i == 7 ? 8 : i));
                gone.add(new WeakReference<>(shop));
            }
            System.gc();
            gone.forEach(each -> assertNull(each.get()));
        }
    }
}
