package dev.weir.edges;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The comparison of what limits add to a request of a server: servers of Spring Boot on Tomcat in one process, one for each limit, asked in turn by
 * a client in another process. Prints a table, ours beside the peers. Ends with 1 if ours adds no less time or bytes than a starter
 * of a peer does.
 */
public final class Edges {
    private static final int TURNS = 10;
    private static final int ROUNDS = 3;
    /* Batches of requests. */
    private static final int WARM_UP = 300;
    private static final int MEASURED = 1_250;
    private static final int PROBED = 300;

    private final List<Measured> all = new ArrayList<>();
    private final PrintStream toLoad;
    private final BufferedReader fromLoad;

    private Edges(Process load) {
        toLoad = new PrintStream(load.getOutputStream(), true, StandardCharsets.US_ASCII);
        fromLoad = load.inputReader();
    }

    /** One server and its figures: of each turn, CPU time in nanoseconds of the whole process, and the medians of the probe. */
    private record Measured(
            Contender contender,
            int port,
            Probe probe,
            List<Double> cpu,
            List<Double> nanos,
            List<Double> bytes) {}

    /** Takes the share of the usual number of requests, 1 if none is given. */
    public static void main(String... args) throws Exception {
        double share = args.length == 0 ? 1 : Double.parseDouble(args[0]);
        List<Table.Row> rows = measured(Contenders.all(), share);
        Table.print(System.out, rows);
        List<Table.Row> lost = Table.notAhead(rows);
        lost.forEach(row -> System.out.println("Weir adds no less than " + row));
        System.exit(lost.isEmpty() ? 0 : 1);
    }

    /**
     * The figures of these servers.
     *
     * @param contenders first the one without a limit
     * @param share of the usual number of requests
     */
    static List<Table.Row> measured(List<Contender> contenders, double share) throws Exception {
        Process load = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Load.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<ConfigurableApplicationContext> servers = new ArrayList<>();
        try {
            Edges edges = new Edges(load);
            for (Contender contender : contenders) {
                ServletWebServerApplicationContext server = contender.started();
                servers.add(server);
                edges.add(contender, server);
            }
            edges.measure(share);
            return edges.rows();
        } finally {
            load.destroyForcibly();
            // Otherwise their threads go on.
            servers.forEach(ConfigurableApplicationContext::close);
        }
    }

    private void add(Contender contender, ServletWebServerApplicationContext server) throws Exception {
        int port = server.getWebServer().getPort();
        check(contender, port);
        all.add(new Measured(
                contender,
                port,
                server.getBean(Probe.class),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>()));
    }

    /* What is compared does what it says. */
    private static void check(Contender contender, int port) throws Exception {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/work"))
                                .build(),
                        BodyHandlers.ofString());
        boolean isTold = response.headers().map().keySet().stream()
                .anyMatch(name -> name.toLowerCase(Locale.ROOT).matches("ratelimit|x-rate-limit-remaining"));
        if (response.statusCode() != 200 || !response.body().equals("ok") || isTold != contender.fields()) {
            throw new IllegalStateException(contender + " answered " + response.statusCode() + " " + response.headers());
        }
    }

    private void measure(double share) throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            for (Measured each : all) {
                probed(each, share * WARM_UP);
                ask(each, share * WARM_UP);
            }
        }
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        List<Measured> order = new ArrayList<>(all);
        Random random = new Random(20261125);
        for (int turn = 0; turn < TURNS; turn++) {
            Collections.shuffle(order, random);
            for (Measured each : order) {
                long before = system.getProcessCpuTime();
                int requests = ask(each, share * MEASURED);
                each.cpu.add((double) (system.getProcessCpuTime() - before) / requests);
                probed(each, share * PROBED);
                each.nanos.add((double) each.probe.medianNanos());
                each.bytes.add((double) each.probe.medianBytes());
            }
        }
    }

    private void probed(Measured server, double batches) throws IOException {
        server.probe.start();
        ask(server, batches);
        server.probe.stop();
    }

    private int ask(Measured server, double batches) throws IOException {
        int whole = (int) Math.max(1, batches);
        toLoad.println(server.port + " " + whole);
        if (!"done".equals(fromLoad.readLine())) {
            throw new IllegalStateException(server.contender + " did not answer all requests");
        }
        return whole * Load.BATCH;
    }

    private List<Table.Row> rows() {
        Measured bare = all.get(0);
        return all.stream()
                .map(each -> new Table.Row(
                        each.contender,
                        median(each.cpu),
                        median(differences(each.cpu, bare.cpu)),
                        median(differences(each.nanos, bare.nanos)),
                        median(differences(each.bytes, bare.bytes))))
                .toList();
    }

    /* Turn by turn, so that what a whole turn has in common does not count. */
    private static List<Double> differences(List<Double> of, List<Double> to) {
        List<Double> differences = new ArrayList<>();
        for (int i = 0; i < of.size(); i++) {
            differences.add(of.get(i) - to.get(i));
        }
        return differences;
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
