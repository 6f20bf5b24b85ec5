package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.store.WhenAway;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One permit that four instances hand to each other: how long it is held of all the time, and by whom. */
@Tag("real-time")
@Needs(Server.REDIS)
class HandOverTest {
    private static final int INSTANCES = 4;
    private static final long HELD = TimeUnit.MILLISECONDS.toNanos(20);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private static final int FIRST_TURNS = 40;

    private final AtomicLong heldNanos = new AtomicLong();
    private final AtomicInteger turnsLeft = new AtomicInteger();
    private final int[] turns = new int[INSTANCES];

    private void work(int instance, RedisSemaphore semaphore) {
        try {
            while (turnsLeft.getAndDecrement() > 0) {
                Permit permit = (Permit) semaphore.acquire(Request.ONE, Duration.ofMinutes(1));
                long begun = Ticker.system().read();
                LockSupport.parkNanos(HELD);
                heldNanos.addAndGet(Ticker.system().read() - begun);
                turns[instance]++;
                permit.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** All instances until so many turns were taken; the percentage of the time for which the permit was held. */
    private long take(int count, List<RedisSemaphore> semaphores) throws InterruptedException {
        heldNanos.set(0);
        Arrays.fill(turns, 0);
        turnsLeft.set(count);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            int instance = i;
            threads.add(new Thread(() -> work(instance, semaphores.get(instance))));
        }
        long begun = Ticker.system().read();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        return heldNanos.get() * 100 / (Ticker.system().read() - begun);
    }

    @Test
    void aPermitIsHeldMostOfTheTimeAndByAllInstancesAlike() throws InterruptedException {
        List<Redis> clients = new ArrayList<>();
        List<RedisSemaphore> semaphores = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            Redis redis = Redis.connect(REDIS.server().uri());
            clients.add(redis);
            semaphores.add(RedisSemaphore.builder("hand", new Semaphore(1), redis, WhenAway.closed())
                    .build());
        }
        long unused = take(FIRST_TURNS, semaphores);
        long percent = take(Stress.of(200, 2_000, 20_000), semaphores);
        clients.forEach(Redis::close);
        String found = "held " + percent + " % of the time, turns " + Arrays.toString(turns);
        int most = Arrays.stream(turns).max().orElse(0);
        int least = Arrays.stream(turns).min().orElse(0);
        assertTrue(percent >= 80, found);
        assertTrue(most - least <= (most + least) / 2 / 10 + 1, found);
        System.out.println(found);
    }
}
