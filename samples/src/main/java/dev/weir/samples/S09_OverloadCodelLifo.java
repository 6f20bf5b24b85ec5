package dev.weir.samples;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.AdaptiveLifo;
import dev.weir.queue.discipline.CoDel;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/*
 * A server can bear 1,000 requests a second and gets 2,000. Its callers give up after a second and do not say so. First
 * come, first served, it soon works for those who have gone. After five seconds the running queue is told to shed who has
 * waited too long and to serve the newest first: it is as useful as it can be at once. In simulated time.
 *
 * Expected output:
 *
 *     second  1  in time  901  in vain    0  waiting 1000
 *     second  2  in time  999  in vain    1  waiting 2000
 *     second  3  in time    0  in vain 1000  waiting 3000
 *     second  4  in time    0  in vain 1000  waiting 4000
 *     second  5  in time    0  in vain 1000  waiting 5000
 *     CoDel and adaptive LIFO
 *     second  6  in time  900  in vain  100  waiting   10
 *     second  7  in time 1000  in vain    0  waiting   10
 *     second  8  in time 1000  in vain    0  waiting   10
 *     second  9  in time 1000  in vain    0  waiting   10
 *     second 10  in time 1000  in vain    0  waiting   10
 */
public final class S09_OverloadCodelLifo {
    private static final long SECOND = 1_000_000_000;
    private static final long WORK = SECOND / 10;
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final CoDel CODEL_LIFO =
            new CoDel(Duration.ofMillis(5), Duration.ofMillis(100), new AdaptiveLifo(Duration.ofMillis(100)));

    private final VirtualTime time = new VirtualTime(0);
    private final AdmissionQueue queue = AdmissionQueue.builder(
                    "server", Limiters.of("server", new Semaphore(100)), QueueSpec.of(100_000))
            .ticker(time)
            .alarm(time)
            .executor(Runnable::run)
            .build();
    private int inTime;
    private int inVain;

    private S09_OverloadCodelLifo() {}

    public static void main(String[] args) {
        new S09_OverloadCodelLifo().run();
    }

    private void run() {
        arrive();
        for (int second = 1; second <= 10; second++) {
            time.advance(SECOND);
            System.out.printf(
                    "second %2d  in time %4d  in vain %4d  waiting %4d%n",
                    second, inTime, inVain, queue.snapshot().length());
            inTime = 0;
            inVain = 0;
            if (second == 5) {
                queue.reconfigure(queue.spec().by(CODEL_LIFO));
                System.out.println("CoDel and adaptive LIFO");
            }
        }
    }

    private void arrive() {
        time.ring(SECOND / 2000, this::arrive);
        long arrived = time.read();
        CompletableFuture<Void> unused =
                queue.acquireAsync(Request.ONE, FOR_EVER).thenAccept(decision -> work(decision, arrived));
    }

    private void work(Decision decision, long arrived) {
        if (decision instanceof Permit permit) {
            time.ring(WORK, () -> {
                permit.close();
                if (time.read() - arrived <= SECOND) {
                    inTime++;
                } else {
                    inVain++;
                }
            });
        }
    }
}
