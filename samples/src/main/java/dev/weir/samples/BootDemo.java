package dev.weir.samples;

import dev.weir.Ticker;
import dev.weir.samples.Clients.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/*
 * An application of Spring Boot under load, in a process of its own: that of samples/boot/mvc or samples/boot/webflux. Its limits are in
 * etcd. They change there while it runs, then by its endpoint, and then the override ends. The warehouse that it calls under a
 * permit counts from outside.
 *
 *     ./weir demo --boot 3.5
 *     ./weir demo --boot 4.1 --webflux
 *
 * Takes 30 s, or as many as -Dweir.demo.seconds says (at least 8). Exits with 0 if every request was answered, no call was over the
 * limit, and all permits are free at the end.
 *
 * Expected output, shortened, with other figures elsewhere; "max" is the most calls at work in a second:
 *
 *      time  answered/s: 200   429   503  at work  max  limit
 *        3s              68     0   162        9   12     12
 *     -- etcd, version 2: orders.concurrency 12 -> 30; more at work after 91 ms
 *        6s             146    33     4       12   30     30
 *     -- endpoint: orders.concurrency 30 -> 8 for a minute; 12 were at work, within the limit after 293 ms
 *        8s              41     0   140        8    8      8
 *     -- endpoint: the override ends; more at work after 44 ms
 *       11s             118    31    27       14   30     30
 *     asked:  sent=2146 ok=1008 rate=146 concurrency=992 failed=0
 *     served: lost=0 over=0 (30 of 30 permits free at the end)
 */
public final class BootDemo {
    private static final int FIRST = 12;
    private static final int MORE = 30;
    private static final int BY_HAND = 8;
    private static final List<String> CLIENTS = List.of("ann", "ben", "greedy", "greedy", "greedy");
    private static final int PER_SECOND = 180;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    /** The exit code of a JVM that is told to end. */
    private static final int STOPPED = 128 + 15;

    private final Ticker ticker = Ticker.system();
    private final Ledger ledger = new Ledger(FIRST);
    private final long[] shown = new long[Answer.values().length];
    private final long seconds = Math.max(8, Long.getLong("weir.demo.seconds", 30));
    private final EtcdStore store;
    private final Warehouse warehouse;
    private final Clients clients;
    private final BootOperator operator;
    private final Path log = Files.createTempFile("weir-boot", ".log");
    private final Process application;

    private BootDemo(EtcdStore store, String classPath) throws Exception {
        this.store = store;
        store.write(document(1, FIRST));
        warehouse = new Warehouse(ledger);
        int port = freePort();
        URI address = URI.create("http://127.0.0.1:" + port);
        clients = new Clients(address.resolve("/orders"), TIMEOUT);
        operator = new BootOperator(address, TIMEOUT);
        application = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        classPath,
                        "shop.Shop",
                        "--server.port=" + port,
                        "--warehouse=" + warehouse.address(),
                        "--spring.profiles.active=etcd",
                        "--etcd=" + store.uri())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    /** Runs the demo with the application of this class path. */
    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        boolean well;
        try (EtcdStore store = new EtcdStore()) {
            well = new BootDemo(store, args[0]).run();
        }
        System.exit(well ? 0 : 1);
    }

    private static String document(long version, int concurrency) {
        return """
                document: { version: %d, author: the demo }
                limits:
                  orders: { concurrency: %d }
                  per-client: { rate: 50/s, key: client, max-keys: 1000 }
                """.formatted(version, concurrency);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private boolean run() throws Exception {
        try {
            long start = ticker.read();
            if (!operator.awaitStarted(application)) {
                System.out.println("the application ended while it started; its log is " + log);
                return false;
            }
            System.out.printf("The application answers after %d ms%n", millisSince(start));
            Thread load = new Thread(() -> clients.load(Duration.ofSeconds(seconds), CLIENTS, PER_SECOND), "load");
            load.start();
            watch();
            load.join();
            clients.awaitAnswers();
            boolean accounted = isAccounted();
            boolean free = isAllFree();
            return hasStopped() && accounted && free;
        } finally {
            application.destroyForcibly();
            warehouse.close();
        }
    }

    private void watch() throws Exception {
        System.out.println(" time  answered/s: 200   429   503  at work  max  limit");
        long start = ticker.read();
        for (long second = 1; second <= seconds && application.isAlive(); second++) {
            Waits.until(start + TimeUnit.SECONDS.toNanos(second));
            row(second);
            if (second == seconds / 4) {
                byEtcd();
            } else if (second == seconds / 2) {
                byEndpoint();
            } else if (second == seconds * 3 / 4) {
                ledger.setBound(MORE);
                operator.endOverride("orders");
                more(BY_HAND, "endpoint: the override ends");
            }
        }
    }

    private void row(long second) {
        System.out.printf(
                "%4ds %15d %5d %5d %8d %4d %6d%n",
                second,
                since(Answer.OK),
                since(Answer.OVER_RATE),
                since(Answer.OVER_CONCURRENCY),
                ledger.out(),
                ledger.next().highest(),
                ledger.bound());
    }

    private long since(Answer answer) {
        long before = shown[answer.ordinal()];
        shown[answer.ordinal()] = clients.count(answer);
        return shown[answer.ordinal()] - before;
    }

    private void byEtcd() throws Exception {
        ledger.setBound(MORE);
        store.write(document(2, MORE));
        more(FIRST, "etcd, version 2: orders.concurrency " + FIRST + " -> " + MORE);
    }

    private void byEndpoint() throws Exception {
        long start = ticker.read();
        long before = ledger.out();
        operator.override("orders", "concurrency: " + BY_HAND);
        clients.awaitAnswers();
        ledger.setBound(BY_HAND);
        ledger.forgetHighest();
        System.out.printf(
                "-- endpoint: orders.concurrency %d -> %d for a minute; %d were at work, within the limit after %d ms%n",
                MORE, BY_HAND, before, millisSince(start));
    }

    /** Until more are at work than the last limit allowed. */
    private void more(int last, String what) {
        long start = ticker.read();
        if (!Waits.await(() -> ledger.out() > last)) {
            throw new IllegalStateException(what + " had no effect");
        }
        System.out.printf("-- %s; more at work after %d ms%n", what, millisSince(start));
    }

    private boolean isAccounted() {
        long failed = clients.count(Answer.FAILED);
        System.out.printf(
                "asked:  sent=%d ok=%d rate=%d concurrency=%d failed=%d%n",
                clients.sent(),
                clients.count(Answer.OK),
                clients.count(Answer.OVER_RATE),
                clients.count(Answer.OVER_CONCURRENCY),
                failed);
        return failed == 0 && clients.count(Answer.OVER_RATE) > 0 && clients.count(Answer.OVER_CONCURRENCY) > 0;
    }

    /** Takes all permits there are: as many calls as the limit must be at work, and the other requests are refused. */
    private boolean isAllFree() {
        warehouse.shut();
        List<CompletableFuture<Answer>> all = new ArrayList<>();
        for (int i = 0; i < MORE + 5; i++) {
            all.add(clients.send("last" + i));
        }
        Waits.await(() ->
                ledger.out() + all.stream().filter(CompletableFuture::isDone).count() == all.size());
        long free = ledger.out();
        warehouse.open();
        clients.awaitAnswers();
        long over = ledger.totals().over();
        System.out.printf(
                "served: lost=%d over=%d (%d of %d permits free at the end)%n", MORE - free, over, free, MORE);
        return free == MORE && over == 0 && clients.count(Answer.FAILED) == 0;
    }

    private boolean hasStopped() throws InterruptedException {
        application.destroy();
        boolean has = application.waitFor(Waits.STUCK.toSeconds(), TimeUnit.SECONDS);
        if (!has || application.exitValue() != STOPPED) {
            System.out.println("the application did not stop as it was told to; its log is " + log);
        }
        return has && application.exitValue() == STOPPED;
    }

    private long millisSince(long instant) {
        return TimeUnit.NANOSECONDS.toMillis(ticker.read() - instant);
    }
}
