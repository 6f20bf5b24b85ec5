package consumers.modular;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.FixedWindow;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import dev.weir.engine.LimiterView;
import dev.weir.micrometer.RegistryMeters;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.RegistryObserver;
import dev.weir.redis.Redis;
import dev.weir.redis.RedisLimiters;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Weir on the module path: a limit that Redis counts, one that follows a file, and its meters. */
public final class Modular {
    private Modular() {}

    public static void main(String[] args) throws Exception {
        try (Redis redis = Redis.connect(args[0])) {
            StoreRateLimiter searches =
                    RedisLimiters.of("modular", FixedWindow.of(10, Duration.ofHours(1)), redis, WhenAway.closed());
            int granted = 0;
            while (!(searches.acquire(Request.forKey("ann"), Duration.ZERO) instanceof Rejection refused)
                    || refused.reason() != Reason.RATE) {
                granted++;
            }
            check(granted > 0);
        }
        Path file = Files.createTempFile("limits", ".yaml");
        Files.writeString(file, "limits: { orders: { concurrency: 1 } }\n");
        try (LimiterRegistry registry = LimiterRegistry.of(FileSource.of(file))) {
            follow(registry, file);
        } finally {
            Files.delete(file);
        }
    }

    private static void follow(LimiterRegistry registry, Path file) throws Exception {
        NamedLimiter orders = registry.limiter("orders");
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        CountDownLatch changed = new CountDownLatch(1);
        registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                return limiter.observe(new LimiterObserver() {
                    @Override
                    public void onLimitChanged(long from, long to, String why) {
                        changed.countDown();
                    }
                });
            }
        });
        try (RegistryMeters bound = RegistryMeters.of(registry)) {
            bound.bindTo(meters);
            check(orders.tryAcquire() instanceof Permit);
            check(orders.tryAcquire() instanceof Rejection);
            Files.writeString(file, "limits: { orders: { concurrency: 2 } }\n");
            changed.await();
            check(orders.tryAcquire() instanceof Permit);
            check(meters.get("weir.limit").gauge().value() == 2);
        }
    }

    private static void check(boolean holds) {
        if (!holds) {
            throw new IllegalStateException("Weir decides otherwise");
        }
    }
}
