package dev.weir.samples;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.redis.Redis;
import dev.weir.redis.RedisLimiters;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.testservers.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/*
 * Eight processes share one limit, 800 a second with bursts of 80, on a Redis that the sample starts. All of them ask for more than
 * they may have. Redis is killed after two seconds and started again two seconds later: meanwhile each process grants its part, an
 * eighth of the limit, and then Redis counts for all of them again. One line for each half second; the numbers vary.
 *
 * Expected output:
 *
 *     admitted in half a second by 8 processes, at 800 a second with bursts of 80
 *       468  ###############
 *       400  #############
 *       400  #############
 *       400  #############  Redis is killed
 *       ...
 *       400  #############  Redis is started again
 *       ...
 *     3242 admitted in 4.0 s: within 2 x 80 + 800 a second: true
 */
public final class S18_ManyProcesses {
    private static final int PROCESSES = 8;
    private static final long PER_SECOND = 800;
    private static final long BURST = 80;
    private static final Duration HALF = Duration.ofMillis(500);
    private static final int HALVES_PER_PHASE = 4;
    private static final long PER_MARK = 30;

    private S18_ManyProcesses() {}

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            work(args[0]);
            return;
        }
        List<Process> workers = new ArrayList<>();
        AtomicLong admitted = new AtomicLong();
        try (RedisServer server = RedisServer.inMemory()) {
            for (int i = 0; i < PROCESSES; i++) {
                workers.add(start(server.uri(), admitted));
            }
            while (admitted.get() < BURST) {
                Thread.sleep(1);
            }
            show(server, admitted);
        } finally {
            workers.forEach(Process::destroyForcibly);
        }
    }

    /** Each admission is one byte on the standard output. */
    private static void work(String uri) throws Exception {
        try (Redis redis = Redis.connect(uri);
                StoreRateLimiter limiter = RedisLimiters.of(
                        "orders",
                        TokenBucket.of(PER_SECOND, Duration.ofSeconds(1)).withCapacity(BURST),
                        redis,
                        WhenAway.local(PROCESSES))) {
            while (true) {
                if (limiter.acquire(Request.ONE, Duration.ofSeconds(1)) instanceof Permit) {
                    System.out.write('.');
                    System.out.flush();
                }
            }
        }
    }

    private static Process start(String uri, AtomicLong admitted) throws IOException {
        Process worker = Child.java("-Xmx64m", "-XX:TieredStopAtLevel=1", S18_ManyProcesses.class.getName(), uri)
                .start();
        Thread counter = new Thread(() -> count(worker, admitted));
        counter.setDaemon(true);
        counter.start();
        return worker;
    }

    private static void count(Process worker, AtomicLong admitted) {
        try (BufferedReader output = worker.inputReader(StandardCharsets.US_ASCII)) {
            while (output.read() >= 0) {
                admitted.incrementAndGet();
            }
        } catch (IOException e) {
            // The worker was ended.
        }
    }

    private static void show(RedisServer server, AtomicLong admitted) throws InterruptedException {
        System.out.printf(
                "admitted in half a second by %d processes, at %d a second with bursts of %d%n",
                PROCESSES, PER_SECOND, BURST);
        long begin = System.nanoTime();
        long before = admitted.get();
        long first = before;
        for (String event : List.of("  Redis is killed", "  Redis is started again", "")) {
            for (int half = 1; half <= HALVES_PER_PHASE; half++) {
                Thread.sleep(HALF.toMillis());
                long now = admitted.get();
                boolean last = half == HALVES_PER_PHASE;
                System.out.printf(
                        "%5d  %s%s%n", now - before, "#".repeat((int) ((now - before) / PER_MARK)), last ? event : "");
                before = now;
            }
            if (event.endsWith("killed")) {
                server.kill();
            } else if (!event.isEmpty()) {
                server.start();
            }
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        long total = admitted.get() - first;
        System.out.printf(
                "%d admitted in %.1f s: within 2 x %d + %d a second: %b%n",
                total, seconds, BURST, PER_SECOND, total <= 2 * BURST + PER_SECOND * seconds);
    }
}
