package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisCluster;
import dev.weir.testservers.Server;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One of three masters that is halted or killed: only its keys are decided without Redis. */
@Tag("real-time")
@Needs(Server.REDIS)
class MasterAwayTest {
    private static final int THREADS = 16;
    private static final int KEYS = 3_000;
    private static final int CALLS = 30_000;

    /** Other masters of a machine that is busy may be slow now and then. */
    private static final double SLACK = 0.01;

    private static final KeyName NAMES = KeyName.of("limit", "away");

    private final AtomicLongArray asked = new AtomicLongArray(3);
    private final AtomicLongArray local = new AtomicLongArray(3);
    private volatile boolean ended;

    private static int master(String key) {
        return SlotHash.getSlot(NAMES.of(key)) * 3 / SlotHash.SLOT_COUNT;
    }

    private void ask(StoreRateLimiter limiter, SplittableRandom random) {
        try {
            while (!ended) {
                String key = "key " + random.nextInt(KEYS);
                Decision decision = limiter.acquire(new Request(1, 0, key, Request.NO_DEADLINE), Duration.ZERO);
                int master = master(key);
                if (!(decision instanceof Permit permit) || permit.quota() == null) {
                    local.incrementAndGet(master);
                }
                asked.incrementAndGet(master);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long sum(AtomicLongArray counts) {
        return counts.get(0) + counts.get(1) + counts.get(2);
    }

    /** From the fault on: also of the time until it was noticed. */
    private void missesItsKeysOnly(String fault, int away, StoreRateLimiter limiter, RedisCluster cluster) {
        for (int i = 0; i < 3; i++) {
            asked.set(i, 0);
            local.set(i, 0);
        }
        await().atMost(Duration.ofMinutes(2))
                .until(() -> limiter.status().away().equals(List.of("127.0.0.1:" + cluster.port(away))));
        await().atMost(Duration.ofMinutes(2)).until(() -> sum(asked) >= CALLS);
        long all = sum(asked);
        long here = sum(local);
        long others = here - local.get(away);
        System.out.printf(
                ">>> master %s: %,d of %,d requests decided here, %,d of them of the other masters%n",
                fault, here, all, others);
        assertTrue(others <= all * SLACK, () -> others + " of " + all);
        double share = (double) asked.get(away) / all;
        assertTrue(here <= all * (share + SLACK), () -> here + " of " + all);
    }

    @Test
    void D7_theOtherMastersDecideTheirKeys() throws Exception {
        TokenBucket limit = TokenBucket.of(10_000_000, Duration.ofSeconds(1));
        List<Thread> threads = new ArrayList<>();
        try (RedisCluster cluster = RedisCluster.ofIndependentMasters(Duration.ofSeconds(2));
                Redis redis = Redis.connect(cluster.uris().get(0).replace("redis:", "redis-cluster:"));
                StoreRateLimiter limiter = RedisLimiters.of("away", limit, redis, WhenAway.local(2))) {
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(i);
                threads.add(new Thread(() -> ask(limiter, random), "master-away-" + i));
            }
            threads.forEach(Thread::start);
            await().until(() -> sum(asked) > KEYS && limiter.status().up());
            cluster.pause(1);
            missesItsKeysOnly("halted", 1, limiter, cluster);
            cluster.resume(1);
            await().atMost(Duration.ofMinutes(1)).until(() -> limiter.status().up());
            cluster.kill(2);
            missesItsKeysOnly("killed", 2, limiter, cluster);
            cluster.start(2);
            await().atMost(Duration.ofMinutes(1)).until(() -> limiter.status().up());
            assertEquals(List.of(), limiter.status().away());
        } finally {
            ended = true;
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }
}
