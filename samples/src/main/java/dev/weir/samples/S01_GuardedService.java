package dev.weir.samples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.Console;
import dev.weir.keyed.Keyed;
import dev.weir.micrometer.RegistryMeters;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.named.status.ConfigEvent;
import dev.weir.samples.Ledger.Interval;
import dev.weir.samples.Ledger.Totals;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/*
 * An HTTP service that refuses what is too much for it, under a load from another process. Its limits come from a document,
 * which changes twice while the service runs, and which you may change too: in a file, or with --source zookeeper, etcd or
 * redis at a server that is started for it. GuardedHandler is the part to copy; RateLimitFields tells clients; Ledger checks
 * from outside. With --console it also starts a console and prints its address: a page that shows the limits, and sets them by hand.
 *
 * Takes 30 s, with --console 5 minutes, or as many seconds as -Dweir.demo.seconds says (at least 6). Exits with 0 if no permit was
 * lost, no admission was over the limit of the document, unless limits were set by hand, and every request is accounted for.
 *
 * Expected output, shortened, with other figures elsewhere; "max" is the most permits out at any admission in a second:
 *
 *     The limits are in version 1 of file:/tmp/weir123/limits.yaml
 *     To change them, raise the version and edit /tmp/weir123/limits.yaml while this runs
 *     Prometheus may scrape its meters at http://127.0.0.1:40123/metrics
 *      time  admitted/s  refused/s: rate  concurrency  in flight  max  limit  p50 ms  p99 ms
 *        9s         250              172            4         34   40     40   129.2   178.2
 *       10s         239              128            5         34   40     40   126.1   178.2
 *     -- version 2 by the demo, fewer at once: service.concurrency: 40 -> 12
 *     -- 33 permits were in flight; within the limit after 66 ms
 *       11s          91              153          167         12   12     12   134.2   177.2
 *       20s          83              133          157         12   12     12   143.1   186.6
 *     -- version 3 by the demo, another algorithm: client.rate: 100/s -> 40/s, service.algorithm: none -> counter, ...
 *     -- 12 permits were in flight; within the limit after 0 ms
 *       21s         190              152           41         19   30     30   131.1   178.1
 *     asked:  sent=11134 admitted=4359 refused=6775 (4693 rate, 2082 concurrency) failed=0 p50=139 ms p99=1287 ms
 *     served: admitted=4359 refused=6775 lost=0 over=0 (30 of 30 permits free at the end)
 */
public final class S01_GuardedService {
    private static final int THREADS = 128;
    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final long MAX_CLIENTS = 10_000;
    /** The limit without a document, which code declares; and the one that no document may exceed. */
    private static final int DECLARED = 40;

    private static final int CAP = 100;

    private final Ticker ticker = Ticker.system();
    private final Ledger ledger = new Ledger(DECLARED);
    private final LinkedBlockingQueue<ConfigEvent> events = new LinkedBlockingQueue<>();
    private final long seconds;
    private final boolean hasConsole;
    private final DocumentStore store;
    private final LedgerSource source;
    private final LimiterRegistry registry;
    private final NamedLimiter clientAndService;
    private final NamedLimiter service;
    private long within = DECLARED;
    private Totals shown = ledger.totals();

    private S01_GuardedService(DocumentStore store, boolean hasConsole) throws Exception {
        this.store = store;
        this.hasConsole = hasConsole;
        seconds = Math.max(6, Long.getLong("weir.demo.seconds", hasConsole ? 300 : 30));
        store.write(document(1, "the first", "concurrency: 40", 100));
        source = new LedgerSource(store.source(), ledger, "service", DECLARED, CAP);
        registry = LimiterRegistry.builder().source(source).onEvent(events::add).build();
        NamedLimiter client = registry.limiter("client", Keyed.of(TokenBucket.of(100, WINDOW), MAX_CLIENTS));
        service = registry.names().limiter("service", new Semaphore(DECLARED), Caps.concurrency(CAP));
        clientAndService = registry.names().limiter(client.name(), service.name());
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        List<String> words = new ArrayList<>(List.of(args));
        boolean hasConsole = words.remove("--console");
        boolean well;
        try (DocumentStore store = DocumentStore.of(source(words))) {
            well = new S01_GuardedService(store, hasConsole).runWithConsole();
        }
        System.exit(well ? 0 : 1);
    }

    private static String source(List<String> words) {
        if (words.isEmpty()) {
            return "file";
        }
        if (words.size() != 2 || !words.get(0).equals("--source")) {
            throw new IllegalArgumentException(
                    "the arguments must be --console and --source NAME, or one or none of them, were " + words);
        }
        return words.get(1);
    }

    private String document(long version, String reason, String service, long perSecond) {
        return """
                # The limits of the demo. A change needs a higher version. Three dots end the document.
                document: { version: %d, author: the demo, reason: %s }
                limits:
                  client:  { rate: %d/s, key: client, max-keys: %d%s }
                  service: { %s%s }
                ...
                """.formatted(
                        version,
                        reason,
                        perSecond,
                        MAX_CLIENTS,
                        hasConsole ? ", hot-keys: true" : "",
                        service,
                        hasConsole ? ", track-permits: 1" : "");
    }

    private boolean runWithConsole() throws Exception {
        if (!hasConsole) {
            return run();
        }
        Path directory = Files.createTempDirectory("weir-console");
        Path token = directory.resolve("token");
        try (Console console = Console.builder(registry)
                .name("demo")
                .writeToken("visitor", token)
                .start()) {
            System.out.printf("The console is at %s, its token in %s%n", console.uri(), console.tokenFile());
            return run();
        } finally {
            Files.deleteIfExists(token);
            Files.deleteIfExists(directory);
        }
    }

    private boolean run() throws Exception {
        System.out.printf(
                "The limits are in version %s of %s%nTo change them, raise the version and %s%n",
                registry.status().version(), registry.status().source(), store.howToChange());
        events.clear();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        server.setExecutor(threads);
        server.createContext("/", new GuardedHandler(clientAndService, S01_GuardedService::work, ledger));
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        RegistryMeters.of(registry)
                .executions(Timer.Builder::publishPercentileHistogram)
                .bindTo(meters);
        server.createContext("/metrics", exchange -> {
            try (exchange) {
                exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
                answer(exchange, meters.scrape());
            }
        });
        server.start();
        String address = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        System.out.println("Prometheus may scrape its meters at " + address + "metrics");
        Process load = startLoad(address);
        boolean accounted;
        try {
            watch(load);
            accounted = !System.out.checkError() && isAccounted(load);
        } finally {
            load.destroyForcibly();
            server.stop(0);
            threads.shutdown();
        }
        boolean drained = threads.awaitTermination(Waits.STUCK.toSeconds(), TimeUnit.SECONDS);
        boolean well = summary() && accounted && drained;
        registry.close();
        return well;
    }

    private static boolean isAccounted(Process load) throws Exception {
        if (!load.waitFor(Waits.STUCK.toSeconds(), TimeUnit.SECONDS)) {
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
        answer(exchange, "done\n");
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    }

    private Process startLoad(String service) throws IOException {
        return Child.java("-Xmx256m", LoadGenerator.class.getName(), service, Long.toString(seconds - 2))
                .start();
    }

    /** Until the load ends, or nobody reads what is printed. */
    private void watch(Process load) throws Exception {
        System.out.println(" time  admitted/s  refused/s: rate  concurrency  in flight  max  limit  p50 ms  p99 ms");
        long start = ticker.read();
        for (long second = 1; second <= seconds * 2 / 3 || (second <= seconds + 15 && load.isAlive()); second++) {
            if (System.out.checkError()) {
                return;
            }
            showUntil(start + TimeUnit.SECONDS.toNanos(second));
            row(second);
            if (second == seconds / 3) {
                store.write(document(registry.status().number() + 1, "fewer at once", "concurrency: 12", 100));
            } else if (second == seconds * 2 / 3) {
                String other = "concurrency: 30, algorithm: counter";
                store.write(document(registry.status().number() + 1, "another algorithm", other, 40));
            }
        }
    }

    private void showUntil(long instant) throws InterruptedException {
        for (long left = instant - ticker.read(); left > 0; left = instant - ticker.read()) {
            ConfigEvent event = events.poll(left, TimeUnit.NANOSECONDS);
            if (event != null) {
                show(event);
            }
        }
    }

    private void row(long second) {
        long limit = awaitWithin();
        Totals now = ledger.totals();
        Interval last = ledger.next();
        System.out.printf(
                "%4ds %11d %16d %12d %10d %4d %6d %7.1f %7.1f%n",
                second,
                now.granted() - shown.granted(),
                now.overRate() - shown.overRate(),
                now.overConcurrency() - shown.overConcurrency(),
                service.snapshot().inFlight(),
                last.highest(),
                Math.max(limit, bound()),
                last.p50() / 1e6,
                last.p99() / 1e6);
        shown = now;
    }

    private void show(ConfigEvent event) {
        if (!(event instanceof ConfigEvent.Changed changed)) {
            System.out.println("-- " + described(event));
            return;
        }
        long start = ticker.read();
        long out = service.snapshot().inFlight();
        Waits.await(() -> source.version().equals(changed.version()) || !events.isEmpty());
        awaitWithin();
        System.out.printf(
                "-- version %s by %s, %s: %s%n-- %d permits were in flight; within the limit after %d ms%n",
                changed.version(),
                changed.author().isEmpty() ? "unknown" : changed.author(),
                changed.reason().isEmpty() ? "no reason" : changed.reason(),
                joined(changed.differences()),
                out,
                TimeUnit.NANOSECONDS.toMillis(ticker.read() - start));
        changed.problems().forEach(problem -> System.out.println("-- not in force: " + problem));
    }

    /** Waits until the permits over a limit that was lowered are back: they stay until their work has ended. */
    private long awaitWithin() {
        while (bound() != within) {
            Waits.await(() -> service.snapshot().inFlight() <= bound());
            within = bound();
            ledger.forgetHighest();
        }
        return within;
    }

    /** That of the document, or the one that was set by hand. */
    private long bound() {
        return service.status().override() == null
                ? ledger.bound()
                : service.snapshot().limit();
    }

    private static String described(ConfigEvent event) {
        if (event instanceof ConfigEvent.Overridden hand) {
            return "by hand" + (hand.ended() ? ", ended: " : ": ") + hand.override();
        }
        return event instanceof ConfigEvent.Refused refused
                ? (refused.held() ? "held: " : "refused: ") + joined(refused.problems())
                : event.toString();
    }

    private static String joined(List<?> all) {
        return all.stream().map(Object::toString).collect(Collectors.joining(", "));
    }

    /** Counts what is missing, then acquires all there is: exactly the limit must be free, and free again afterwards. */
    private boolean summary() {
        Totals all = ledger.totals();
        long limit = Math.min(bound(), service.snapshot().limit());
        long free = Ledger.free(service, 2 * THREADS);
        long lost = Math.max(all.granted() - all.returned(), limit - free);
        long over = all.over() + Math.max(0, free - bound());
        boolean isByHand = registry.names().events().stream()
                .anyMatch(each -> each.event() instanceof ConfigEvent.Overridden hand
                        && hand.limiter().equals(service.name()));
        System.out.printf(
                "served: admitted=%d refused=%d lost=%d over=%d%s (%d of %d permits free at the end)%n",
                all.granted(),
                all.overRate() + all.overConcurrency(),
                lost,
                over,
                isByHand ? " by the documents, some limits were set by hand" : "",
                free,
                limit);
        return lost == 0 && (over == 0 || isByHand) && service.snapshot().inFlight() == 0;
    }
}
