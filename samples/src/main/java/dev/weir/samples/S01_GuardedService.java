package dev.weir.samples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.Permit;
import dev.weir.Ticker;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.samples.Ledger.Interval;
import dev.weir.samples.Ledger.Totals;
import dev.weir.spi.StrategySpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;

/*
 * An HTTP service that turns away what it cannot bear, under a load from another process, and whose limits change twice
 * while it runs. GuardedHandler is the part to copy; RateLimitHeaders tells clients; Ledger checks from outside.
 *
 * Takes 30 s, or as many as -Dweir.demo.seconds says (at least 6). Exits with 0 if no permit was lost, no admission was
 * over the limit and every request is accounted for.
 *
 * Expected output, shortened, with other figures elsewhere; "max" is the most permits out at any admission in a second:
 *
 *      time  admitted/s  refused/s: rate  concurrency  in flight  max  limit  p50 ms  p99 ms
 *        9s         250              172            4         34   40     40   129.2   178.2
 *       10s         239              128            5         34   40     40   126.1   178.2
 *     -- reload: Semaphore[limit=40] and 100/s per client -> Semaphore[limit=12] and 100/s per client
 *     -- 33 permits were in flight; within the limit after 66 ms
 *       11s          91              153          167         12   12     12   134.2   177.2
 *       20s          83              133          157         12   12     12   143.1   186.6
 *     -- reload: Semaphore[limit=12] and 100/s per client -> Counter[limit=30] and 40/s per client
 *     -- 12 permits were in flight; within the limit after 0 ms
 *       21s         190              152           41         19   30     30   131.1   178.1
 *     asked:  sent=11134 admitted=4359 refused=6775 (4693 rate, 2082 concurrency) failed=0 p50=139 ms p99=1287 ms
 *     served: admitted=4359 refused=6775 lost=0 over=0 (30 of 30 permits free at the end)
 */
public final class S01_GuardedService {
    private static final int THREADS = 128;
    private static final Duration WINDOW = Duration.ofSeconds(1);
    /** What is not done after so long is taken for lost; a starved machine takes some seconds. */
    private static final Duration STUCK = Duration.ofMinutes(2);

    private static final long MAX_CLIENTS = 10_000;

    private final Ticker ticker = Ticker.system();
    private final ManagedLimiter perClient = Limiters.of("client", ratePerClient(100));
    private final ManagedLimiter room = Limiters.of("room", new Semaphore(40));
    private final Ledger ledger = new Ledger(40);
    private final long seconds;
    private Totals shown = ledger.totals();

    private S01_GuardedService(long seconds) {
        this.seconds = seconds;
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        boolean well = new S01_GuardedService(Math.max(6, Long.getLong("weir.demo.seconds", 30))).run();
        System.exit(well ? 0 : 1);
    }

    private static StrategySpec ratePerClient(long perSecond) {
        return Keyed.of(TokenBucket.of(perSecond, WINDOW), MAX_CLIENTS);
    }

    private boolean run() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        server.setExecutor(threads);
        server.createContext("/", new GuardedHandler(perClient, WINDOW, room, S01_GuardedService::work, ledger));
        server.start();
        Process load = startLoad("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        boolean accounted;
        try {
            watch(load);
            accounted = isAccounted(load);
        } finally {
            load.destroyForcibly();
            server.stop(0);
            threads.shutdown();
        }
        boolean drained = threads.awaitTermination(STUCK.toSeconds(), TimeUnit.SECONDS);
        return summary() && accounted && drained;
    }

    private static boolean isAccounted(Process load) throws Exception {
        if (!load.waitFor(STUCK.toSeconds(), TimeUnit.SECONDS)) {
            return false;
        }
        try (BufferedReader report = load.inputReader()) {
            report.lines().forEach(System.out::println);
        }
        return load.exitValue() == 0;
    }

    /** Stands for a call to another system. */
    private static void work(HttpExchange exchange) throws IOException {
        LockSupport.parkNanos(
                TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(80, 180)));
        byte[] body = "done\n".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    }

    private Process startLoad(String service) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LoadGenerator.class.getName(),
                        service,
                        Long.toString(seconds - 2))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private void watch(Process load) {
        System.out.println(" time  admitted/s  refused/s: rate  concurrency  in flight  max  limit  p50 ms  p99 ms");
        long start = ticker.read();
        for (long second = 1; second <= seconds * 2 / 3 || (second <= seconds + 15 && load.isAlive()); second++) {
            parkUntil(start + TimeUnit.SECONDS.toNanos(second));
            row(second);
            if (second == seconds / 3) {
                change(12, Semaphore::new, 100);
            } else if (second == seconds * 2 / 3) {
                change(30, Counter::new, 40);
            }
        }
    }

    private void row(long second) {
        Totals now = ledger.totals();
        Interval last = ledger.next();
        System.out.printf(
                "%4ds %11d %16d %12d %10d %4d %6d %7.1f %7.1f%n",
                second,
                now.granted() - shown.granted(),
                now.overRate() - shown.overRate(),
                now.overRoom() - shown.overRoom(),
                room.snapshot().inFlight(),
                last.highest(),
                ledger.bound(),
                last.p50() / 1e6,
                last.p99() / 1e6);
        shown = now;
    }

    /** Puts other limits in force while permits are out; those over a lowered limit stay until their work has ended. */
    private void change(long limit, LongFunction<StrategySpec> algorithm, long perSecond) {
        String from = room.spec() + " and " + perClient.dial().limit() + "/s per client";
        long out = room.snapshot().inFlight();
        ledger.setBound(Math.max(ledger.bound(), limit));
        room.reconfigure(algorithm.apply(limit));
        perClient.reconfigure(ratePerClient(perSecond));
        ledger.setBound(limit);
        long start = ticker.read();
        while (room.snapshot().inFlight() > limit && ticker.read() - start < STUCK.toNanos()) {
            parkUntil(ticker.read() + 1_000_000);
        }
        ledger.forgetHighest();
        System.out.printf(
                "-- reload: %s -> %s and %d/s per client%n-- %d permits were in flight; within the limit after %d ms%n",
                from, room.spec(), perSecond, out, TimeUnit.NANOSECONDS.toMillis(ticker.read() - start));
    }

    private void parkUntil(long instant) {
        for (long left = instant - ticker.read(); left > 0; left = instant - ticker.read()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Counts what is missing, then takes all there is: exactly the limit must be there, and home again afterwards. */
    private boolean summary() {
        Totals all = ledger.totals();
        long limit = ledger.bound();
        long free = countFree();
        long lost = Math.max(all.granted() - all.returned(), limit - free);
        long over = all.over() + Math.max(0, free - limit);
        System.out.printf(
                "served: admitted=%d refused=%d lost=%d over=%d (%d of %d permits free at the end)%n",
                all.granted(), all.overRate() + all.overRoom(), lost, over, free, limit);
        return lost == 0 && over == 0 && room.snapshot().inFlight() == 0;
    }

    private long countFree() {
        List<Permit> taken = new ArrayList<>();
        while (taken.size() < 2 * THREADS && room.tryAcquire() instanceof Permit permit) {
            taken.add(permit);
        }
        taken.forEach(Permit::close);
        return taken.size();
    }
}
