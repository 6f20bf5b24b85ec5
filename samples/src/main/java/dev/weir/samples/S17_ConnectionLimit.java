package dev.weir.samples;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.redis.Redis;
import dev.weir.spi.Alarm;
import dev.weir.spi.Gate;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.testkit.VirtualTime;
import dev.weir.testservers.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/*
 * The limit.conn of lua-resty-limit-traffic: four requests at once, eight more may wait, others are refused. That module guesses
 * a delay from the measured latency and then lets the request go; here it waits in a queue until there is capacity. The
 * same guess, from the place in the queue and the measured time of the work, is printed beside the wait. First in this
 * process and in simulated time; then, unless the argument is "local", with a limit that two instances share over Redis.
 *
 * Expected output:
 *
 *     in one process: granted 22, refused 2
 *        1  predicted   0 ms, waited   0 ms
 *        2  predicted   0 ms, waited   0 ms
 *        3  predicted   0 ms, waited   0 ms
 *        4  predicted   0 ms, waited   0 ms
 *        5  predicted  13 ms, waited  24 ms
 *        6  predicted  25 ms, waited  20 ms
 *        7  predicted  38 ms, waited  36 ms
 *        8  predicted  37 ms, waited  32 ms
 *        9  predicted  38 ms, waited  36 ms
 *       10  predicted  50 ms, waited  64 ms
 *       11  predicted  63 ms, waited  60 ms
 *       12  predicted  55 ms, waited  56 ms
 *       21  predicted 124 ms, refused
 *       13  predicted  69 ms, waited  72 ms
 *       23  predicted 131 ms, refused
 *       14  predicted  66 ms, waited  80 ms
 *       15  predicted  80 ms, waited  84 ms
 *       16  predicted  93 ms, waited 100 ms
 *       17  predicted 106 ms, waited 100 ms
 *       18  predicted 113 ms, waited 100 ms
 *       19  predicted  96 ms, waited 120 ms
 *       20  predicted 110 ms, waited 124 ms
 *       22  predicted 116 ms, waited 112 ms
 *       24  predicted 112 ms, waited 124 ms
 */
public final class S17_ConnectionLimit {
    private static final int MAX = 4;
    private static final int BURST = 8;
    private static final int REQUESTS = 24;
    private static final int BETWEEN_MILLIS = 8;
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final String title;
    private final Ticker ticker;
    private final Alarm alarm;
    private final AdmissionQueue queue;
    private final int instances;
    private final Runnable ended;
    private final StringBuilder rows = new StringBuilder();
    private double workMillis = 50;
    private int working;
    private int left = REQUESTS;
    private int refused;

    private S17_ConnectionLimit(
            String title, Gate gate, Ticker ticker, Alarm alarm, Executor executor, int instances, Runnable ended) {
        this.title = title;
        this.ticker = ticker;
        this.alarm = alarm;
        this.instances = instances;
        this.ended = ended;
        queue = AdmissionQueue.builder(title, gate, QueueSpec.of(BURST))
                .ticker(ticker)
                .alarm(alarm)
                .executor(executor)
                .build();
    }

    public static void main(String[] args) throws InterruptedException {
        VirtualTime time = new VirtualTime(0);
        S17_ConnectionLimit local = new S17_ConnectionLimit(
                "in one process", Limiters.of("server", new Semaphore(MAX)), time, time, Runnable::run, 1, () -> {});
        local.arrive(1);
        time.advance(Duration.ofSeconds(1));
        local.print();
        if (args.length == 0) {
            overRedis();
        }
    }

    private static void overRedis() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(2);
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
        try (RedisServer server = RedisServer.inMemory();
                Redis redis = Redis.connect(server.uri())) {
            S17_ConnectionLimit first = shared("instance 1 of 2", redis, thread, running);
            S17_ConnectionLimit second = shared("instance 2 of 2", redis, thread, running);
            running.await();
            first.print();
            second.print();
        } catch (IllegalStateException noServer) {
            System.out.println(noServer.getMessage());
        } finally {
            thread.shutdownNow();
        }
    }

    private static S17_ConnectionLimit shared(
            String title, Redis redis, ScheduledExecutorService thread, CountDownLatch running)
            throws InterruptedException {
        StoreSemaphore semaphore = StoreSemaphore.builder(
                        "server", new Semaphore(MAX), redis.leases(), WhenAway.local(2))
                .poll(Duration.ofMillis(5))
                .build();
        semaphore.run(Request.ONE, Duration.ofSeconds(1), () -> {}); // The server has the script from now on.
        Alarm alarm = (nanos, action) -> {
            Future<?> set = thread.schedule(action, nanos, TimeUnit.NANOSECONDS);
            return () -> set.cancel(false);
        };
        S17_ConnectionLimit instance =
                new S17_ConnectionLimit(title, semaphore.gate(), Ticker.system(), alarm, thread, 2, running::countDown);
        thread.execute(() -> instance.arrive(1));
        return instance;
    }

    private void arrive(int request) {
        long arrived = ticker.read();
        double predicted = predictedMillis();
        CompletableFuture<Void> unused = queue.acquireAsync(Request.ONE, FOR_EVER)
                .thenAccept(decision -> decided(decision, request, predicted, ticker.read() - arrived));
        if (request < REQUESTS) {
            alarm.ring(TimeUnit.MILLISECONDS.toNanos((long) BETWEEN_MILLIS * instances), () -> arrive(request + 1));
        }
    }

    /** One place in the queue is free each time that one of the works ends, of which there are {@code MAX} on all instances. */
    private double predictedMillis() {
        int before = queue.snapshot().length();
        boolean atOnce = before == 0 && working < MAX / instances;
        return atOnce ? 0 : (before + 1) * workMillis * instances / MAX;
    }

    private void decided(Decision decision, int request, double predicted, long waitedNanos) {
        if (decision instanceof Permit permit) {
            rows.append(String.format(
                    "  %2d  predicted %3.0f ms, waited %3.0f ms%n", request, predicted, waitedNanos / 1e6));
            working++;
            long millis = 40 + request % 3 * 20L;
            alarm.ring(TimeUnit.MILLISECONDS.toNanos(millis), () -> finish(permit, millis));
        } else {
            refused++;
            rows.append(String.format("  %2d  predicted %3.0f ms, refused%n", request, predicted));
            oneLess();
        }
    }

    private void finish(Permit permit, long millis) {
        working--;
        workMillis += (millis - workMillis) / 8;
        permit.close();
        oneLess();
    }

    private void oneLess() {
        if (--left == 0) {
            queue.close();
            ended.run();
        }
    }

    private void print() {
        System.out.printf("%s: granted %d, refused %d%n%s", title, REQUESTS - refused, refused, rows);
    }
}
