package dev.weir.console;

import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import dev.weir.named.NamedLimiter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Limits of a shop and callers that use them, more in each second minute of a wave. */
final class Shop implements AutoCloseable {
    static final String HOSTILE = "<img src=x onerror=hacked=1>";

    private static final String LIMITS = """
            document: { version: 7, author: ann, reason: more traffic on Friday }
            limits:
              checkout: { concurrency: 20, track-permits: 4, queue: { capacity: 40, max-wait: 200ms, discipline: codel-lifo } }
              search: { rate: 400/s, burst: 40, key: true, hot-keys: true }
              payments: { concurrency: 12, adaptive: { min: 4, max: 40 } }
              mail: { rate: 20/s }
              reports: { concurrency: 3, enforce: 0 }
              orders: { concurrency: 16, queue: 20 }
              login: { rate: 60/s, burst: 20 }
              images: { concurrency: 24 }
              cart: { concurrency: 10 }
              stock: { concurrency: 8 }
              prices: { rate: 200/s }
              reviews: { concurrency: 6 }
              exports: { concurrency: 2, queue: { capacity: 5, max-wait: 1s } }
              sessions: { rate: 300/s }
            """;

    private static final Duration EACH = Duration.ofMillis(20);

    final LimiterRegistry limits;
    private final Random random = new Random(42);
    private final ScheduledExecutorService callers =
            Executors.newSingleThreadScheduledExecutor(work -> daemon(work, "shop-callers"));
    private final List<NamedLimiter> all;
    private int round;

    private Shop(String yaml) {
        limits = LimiterRegistry.builder()
                .source(new Text(yaml))
                .onEvent(event -> {})
                .build();
        all = limits.names().names().stream().map(limits::limiter).toList();
    }

    /** The limits of a shop, and one more with a hostile name. */
    static Shop small() {
        Shop shop = new Shop(LIMITS);
        // no document may have such a name, but code may
        shop.limits.limiter(HOSTILE, new Semaphore(2));
        shop.callers.scheduleAtFixedRate(shop::call, 0, EACH.toMillis(), TimeUnit.MILLISECONDS);
        return shop;
    }

    /** Limits of services, each of which has some calls a second. */
    static Shop of(int services) {
        StringBuilder yaml = new StringBuilder("limits:\n");
        IntStream.range(0, services)
                .forEach(i -> yaml.append("  service-")
                        .append(i)
                        .append(i % 3 == 0 ? ": { rate: 5/s }\n" : ": { concurrency: 3 }\n"));
        Shop shop = new Shop(yaml.toString());
        shop.callers.scheduleAtFixedRate(shop::callSome, 0, EACH.toMillis(), TimeUnit.MILLISECONDS);
        return shop;
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    private void call() {
        round++;
        double load = 1 + 0.6 * Math.sin(round / 400.0);
        times("checkout", 9 * load, 25, "none");
        times("payments", 5 * load, 30, "none");
        times("search", 7 * load, 0, random.nextInt(4) == 0 ? "crawler" : "user-" + random.nextInt(30));
        times("mail", 0.5 * load, 0, "none");
        times("reports", 1.5 * load, 60, "none");
        times("orders", 3 * load, 70, "none");
        times("login", 0.7 * load, 0, "none");
        times("images", 2 * load, 120, "none");
        times("cart", 1.5 * load, 45, "none");
        times("stock", 1.2 * load, 60, "none");
        times("prices", 2.5 * load, 0, "none");
        times("reviews", 0.4 * load, 90, "none");
        times("exports", 0.12 * load, 250, "none");
        times("sessions", 3 * load, 0, "none");
        times(HOSTILE, 0.3 * load, 40, HOSTILE);
    }

    private void times(String name, double count, int holdMillis, String key) {
        int whole = (int) count + (random.nextDouble() < count - (int) count ? 1 : 0);
        NamedLimiter limiter = limits.limiter(name);
        for (int i = 0; i < whole; i++) {
            call(limiter, Request.forKey(key), (long)
                    (holdMillis * (0.4 + random.nextDouble() + (random.nextInt(12) == 0 ? 3 : 0))));
        }
    }

    private void callSome() {
        for (int i = 0; i < 60; i++) {
            call(all.get(random.nextInt(all.size())), Request.ONE, 30 + random.nextInt(60));
        }
    }

    private void call(NamedLimiter limiter, Request request, long holdMillis) {
        limiter.callAsync(request, () -> ended(holdMillis)).exceptionally(refused -> "");
    }

    private CompletableFuture<String> ended(long holdMillis) {
        CompletableFuture<String> work = new CompletableFuture<>();
        callers.schedule(() -> work.complete("done"), holdMillis, TimeUnit.MILLISECONDS);
        return work;
    }

    @Override
    public void close() {
        callers.shutdownNow();
        limits.close();
    }

    /** A document that does not change. */
    private record Text(String yaml) implements ConfigSource {
        @Override
        public String name() {
            return "limits.yaml";
        }

        @Override
        public Reading read() {
            return Reading.of(yaml.getBytes(StandardCharsets.UTF_8), Format.YAML)
                    .whole();
        }

        @Override
        public Duration readEvery() {
            return Duration.ofSeconds(10);
        }

        @Override
        public void close() {}
    }
}
