package dev.weir.micrometer;

import com.sun.net.httpserver.HttpServer;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.signal.Sensors;
import dev.weir.adaptive.signal.Signals;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.executor.LimitedExecutor;
import dev.weir.named.NamedLimiter;
import dev.weir.spi.Registration;
import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A process with limits of all kinds, under load until it is closed, and the address where its meters are scraped. */
final class LimitsUnderLoad implements AutoCloseable {
    private static final Duration WAIT = Duration.ofMillis(30);

    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private final Path document;
    private final HttpServer server;
    private volatile boolean closed;

    /** A store in this process, which fails now and then and finds a value that is none of its own. */
    private static final class WeakStore implements StoreLimit {
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
            int number = asked.incrementAndGet();
            return number % 20 == 0
                    ? CompletableFuture.failedFuture(new IOException("away"))
                    : CompletableFuture.completedFuture(
                            new Reply(number % 3 == 0 ? 0 : permits, 4, 5, 1_000, 0, number % 7 == 0 ? 1 : 0, 0));
        }

        @Override
        public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
            return acquire(key, permits);
        }

        @Override
        public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
            return acquire(key, permits);
        }

        @Override
        public CompletionStage<?> ping() {
            return CompletableFuture.completedFuture("pong");
        }
    }

    /** @param folder where it has its document */
    LimitsUnderLoad(Path folder) throws IOException {
        document = folder.resolve("limits.yaml");
        write(1);
        LimiterRegistry limits = opened(LimiterRegistry.builder()
                .source(FileSource.of(document, Duration.ofMillis(100)))
                .onEvent(event -> {})
                .build());
        opened(RegistryMeters.of(limits)
                        .timing(Timer.Builder::publishPercentileHistogram)
                        .executions(Timer.Builder::publishPercentileHistogram))
                .bindTo(meters);
        Registration unused =
                limits.override("dry", "enforce: 20%", Duration.ofHours(1), "the test", "a patch that is seen");
        limits.limiter("dry").suspendFor(Duration.ofHours(1), "429");
        otherSource(folder);
        StoreRateLimiter stored = store();
        ManagedLimiter batch = batch();
        Permit held = (Permit) limits.limiter("checkout").tryAcquire();
        opened.push(held::close);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            byte[] text = meters.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        server.start();
        start(limits, stored, batch);
    }

    private <T extends AutoCloseable> T opened(T part) {
        opened.push(part);
        return part;
    }

    private void write(long version) throws IOException {
        Path next = Files.writeString(document.resolveSibling("next"), """
                document: { version: %d, author: the test }
                limits:
                  api: { rate: %d/s }
                  user: { rate: 20/s, key: user }
                  checkout:
                    concurrency: 5
                    track-permits: 1
                    adaptive: { min: 3, max: 8 }
                    queue: { capacity: 2, max-wait: 30ms, discipline: lifo }
                    executor: { threads: 2 }
                  dry: { rate: 5/s, enforce: 0 }
                """.formatted(version, 30 + version % 2 * 10));
        Files.move(next, document, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Another registry, whose document states no version. */
    private void otherSource(Path folder) throws IOException {
        Path other = Files.writeString(folder.resolve("other.yaml"), "limits: { mail: { rate: 5/s } }\n");
        LimiterRegistry limits = opened(LimiterRegistry.builder()
                .source(FileSource.of(other))
                .onEvent(event -> {})
                .build());
        opened(RegistryMeters.of(limits)).bindTo(meters);
    }

    private StoreRateLimiter store() {
        WeakStore store = new WeakStore();
        StoreRateLimiter stored = opened(StoreRateLimiter.builder(
                        "search", TokenBucket.of(5, Duration.ofSeconds(1)), spec -> store, WhenAway.open())
                .build());
        opened(StoreMeters.of(stored.name(), stored::status)).bindTo(meters);
        return stored;
    }

    /** A limiter that is in no registry, with its control and the sensors of that. */
    private ManagedLimiter batch() {
        ManagedLimiter batch = opened(Limiters.of("batch", new Semaphore(5)));
        Sensors sensors = opened(Sensors.builder()
                .watch(Signals.of("load", () -> 0.5))
                .watch(Signals.of("broken", () -> {
                    throw new IllegalStateException("no reading");
                }))
                .every(Duration.ofMillis(100))
                .start());
        AdaptiveControl control = opened(AdaptiveControl.builder(batch, new Crest())
                .signals(sensors::readings)
                .build());
        opened(WeirMeters.of(batch)).bindTo(meters);
        opened(AdaptiveMeters.of(control, sensors)).bindTo(meters);
        return batch;
    }

    private void start(LimiterRegistry limits, StoreRateLimiter stored, ManagedLimiter batch) {
        ExecutorService threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "load");
            thread.setDaemon(true);
            return thread;
        });
        opened.push(threads::shutdownNow);
        NamedLimiter checkout = limits.limiter("checkout");
        NamedLimiter jointly = limits.names().limiter("api", "checkout");
        LimitedExecutor own = limits.names().executor("checkout");
        LimitedExecutor wrapped = limits.names().executor("checkout", threads);
        for (int i = 0; i < 10; i++) {
            threads.execute(() -> {
                while (!closed) {
                    work(checkout, Outcome.SUCCESS, 8);
                    work(jointly, Outcome.DROPPED, 3);
                }
            });
        }
        threads.execute(() -> {
            while (!closed) {
                int round = rounds.incrementAndGet();
                limits.limiter("api").tryAcquire();
                limits.limiter("user").tryAcquire(Request.ONE);
                NamedLimiter user = limits.limiter("user");
                user.tryAcquire(user.request(dimension -> "user " + round % 9));
                limits.limiter("dry").tryAcquire();
                limits.limiter("checkout").tryAcquire(Request.ONE.withPermits(1_000));
                stored.acquireAsync(Request.ONE, Duration.ZERO);
                batch.run(() -> {});
                submit(round % 2 == 0 ? own : wrapped, round % 5 == 0);
                if (round % 30 == 0) {
                    rewrite(round);
                }
                pause(10);
            }
        });
    }

    private void rewrite(int round) {
        try {
            write(2 + round / 30);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void submit(LimitedExecutor executor, boolean fails) {
        executor.submit(() -> {
            if (fails) {
                throw new IllegalStateException("a task that fails");
            }
        });
    }

    private static void work(NamedLimiter limiter, Outcome outcome, long millis) {
        try {
            if (limiter.acquire(Request.ONE, WAIT) instanceof Permit permit) {
                pause(millis);
                permit.release(outcome);
            } else {
                pause(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Where the meters are scraped. */
    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/metrics");
    }

    /** What a scrape gets now. */
    String scrape() {
        return meters.scrape();
    }

    @Override
    public void close() {
        closed = true;
        server.stop(0);
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
