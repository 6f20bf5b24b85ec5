package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.contract.TcpProxy;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Permits that are released while the connection is cut, hangs or is slow: all are free long before their leases end. */
@Tag("real-time")
@Needs(Server.REDIS)
class LostReleaseNemesisTest {
    private static final int LIMIT = 8;
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final String NAME = "nemesis";

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final SplittableRandom random = new SplittableRandom(7);

    private static StoreSemaphore semaphore(Redis redis) {
        return StoreSemaphore.builder(NAME, new Semaphore(LIMIT), redis.leases(), WhenAway.closed())
                .lease(LEASE)
                .build();
    }

    private static Permit take(StoreSemaphore semaphore, long permits) throws InterruptedException {
        return assertInstanceOf(Permit.class, semaphore.acquire(Request.of(permits), Duration.ofSeconds(30)));
    }

    @Test
    void eachReleaseSurvivesEachCut() throws IOException, InterruptedException {
        try (TcpProxy proxy = new TcpProxy(REDIS.server().port());
                Redis cut = Redis.connect("redis://127.0.0.1:" + proxy.port());
                Redis redis = Redis.connect(REDIS.server().uri());
                StoreSemaphore releasing = semaphore(cut);
                StoreSemaphore other = semaphore(redis)) {
            for (int i = Stress.of(4, 40, 300); i > 0; i--) {
                List<Permit> held = new ArrayList<>();
                for (int j = 0; j < LIMIT - 1; j++) {
                    held.add(take(releasing, 1));
                }
                Permit kept = take(other, 1);
                fault(proxy);
                for (Permit each : held) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(60)));
                    assertTrue(each.release(Outcome.SUCCESS));
                }
                proxy.restore();
                Permit all = take(other, LIMIT - 1);
                assertEquals(LIMIT, other.held());
                all.close();
                kept.close();
                await().atMost(Duration.ofSeconds(20)).until(() -> counted() == 0);
            }
        }
    }

    private void fault(TcpProxy proxy) {
        switch (random.nextInt(3)) {
            case 0 -> proxy.cut();
            case 1 -> proxy.hang();
            default -> proxy.latency(Duration.ofMillis(150 + random.nextInt(200)));
        }
    }

    private static long counted() {
        return REDIS.commands().keys("*" + NAME + "*").stream()
                .mapToLong(key -> REDIS.commands().zcard(key) - 1)
                .sum();
    }
}
