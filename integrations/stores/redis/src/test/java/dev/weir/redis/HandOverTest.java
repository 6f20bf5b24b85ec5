package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * One permit that four instances hand to each other, told by messages alone: each has at least half of an even part. How long it is held of
 * all the time is printed, by the median of the time between two.
 */
@Tag("real-time")
@Needs(Server.REDIS)
class HandOverTest {
    private static final int INSTANCES = 4;
    private static final long HELD = TimeUnit.MILLISECONDS.toNanos(10);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private static final int FIRST_TURNS = 40;

    private final Queue<Long> gaps = new ConcurrentLinkedQueue<>();
    private volatile long released = Ticker.system().read();
    private final AtomicInteger turnsLeft = new AtomicInteger();
    private final int[] turns = new int[INSTANCES];

    private void work(int instance, StoreSemaphore semaphore) {
        try {
            while (turnsLeft.getAndDecrement() > 0) {
                Permit permit = (Permit) semaphore.acquire(Request.ONE, Duration.ofMinutes(1));
                gaps.add(Ticker.system().read() - released);
                LockSupport.parkNanos(HELD);
                turns[instance]++;
                released = Ticker.system().read();
                permit.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** All instances until so many turns were taken; the median of the nanoseconds for which nobody held the permit. */
    private long take(int count, List<StoreSemaphore> semaphores) throws InterruptedException {
        gaps.clear();
        Arrays.fill(turns, 0);
        turnsLeft.set(count);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            int instance = i;
            threads.add(new Thread(() -> work(instance, semaphores.get(instance))));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        return gaps.stream().sorted().toList().get(gaps.size() / 2);
    }

    @Test
    void aPermitGoesAroundByMessagesAlone() throws InterruptedException {
        List<Redis> clients = new ArrayList<>();
        List<StoreSemaphore> semaphores = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            Redis redis = Redis.connect(REDIS.server().uri());
            clients.add(redis);
            semaphores.add(StoreSemaphore.builder("hand", new Semaphore(1), redis.leases(), WhenAway.closed())
                    .poll(Duration.ofSeconds(5))
                    .build());
        }
        long unused = take(FIRST_TURNS, semaphores);
        long gap = take(Stress.of(200, 2_000, 20_000), semaphores);
        clients.forEach(Redis::close);
        String found = "held " + HELD * 100 / (HELD + gap) + " % of the time, turns " + Arrays.toString(turns);
        System.out.println(found);
        int all = Arrays.stream(turns).sum();
        int least = Arrays.stream(turns).min().orElse(0);
        assertTrue(least * INSTANCES >= all / 2, found);
    }
}
