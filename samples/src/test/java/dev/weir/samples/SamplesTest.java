package dev.weir.samples;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.micrometer.RegistryMeters;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.PrometheusServer;
import dev.weir.testservers.Server;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Each sample runs, and prints what its header says; {@code ./weir demo} runs the first, and fails if it lost a permit. */
class SamplesTest {
    private static final Path SOURCES = Path.of("src/main/java/dev/weir/samples");

    @ParameterizedTest
    @ValueSource(
            classes = {
                S02_RateLimiterInFiveLines.class,
                S03_LimitsByUrlIpUser.class,
                S04_LiveChange.class,
                S05_CapacityPlan.class,
                S06_WrapAnExecutor.class,
                S07_FairAndUnfair.class,
                S08_TenantFairQueue.class,
                S09_OverloadCodelLifo.class,
                S11_ColdStart.class,
                S12_SavedState.class,
                S13_CpuGuard.class,
                S14_ConfigParam.class,
                S15_HotReload.class,
                S16_StagedRollout.class,
                S19_SharedQuota.class
            })
    void printsWhatItsHeaderSays(Class<?> sample) throws Exception {
        assertEquals(expectedOutput(sample), outputOf(sample));
    }

    @Test
    @Needs(Server.ETCD)
    void hotReloadIsTheSameFromEtcd() throws Exception {
        assertEquals(expectedOutput(S15_HotReload.class), outputOf(S15_HotReload.class, "etcd"));
    }

    @Test
    @Needs(Server.REDIS)
    void hotReloadIsTheSameFromRedis() throws Exception {
        assertEquals(expectedOutput(S15_HotReload.class), outputOf(S15_HotReload.class, "redis"));
    }

    @Test
    void theConnectionLimitWaitsForCapacityInsteadOfADelay() throws Exception {
        assertEquals(expectedOutput(S17_ConnectionLimit.class), outputOf(S17_ConnectionLimit.class, "local"));
    }

    @Test
    @Needs(Server.REDIS)
    void theConnectionLimitIsSharedByInstances() throws Exception {
        String local = expectedOutput(S17_ConnectionLimit.class);
        String printed = outputOf(S17_ConnectionLimit.class);
        assertTrue(printed.startsWith(local), printed);
        assertTrue(printed.contains("instance 1 of 2: granted "), printed);
        assertTrue(printed.contains("instance 2 of 2: granted "), printed);
    }

    @Test
    @Needs(Server.REDIS)
    void aBanIsTheSameOnAllServers() throws Exception {
        assertEquals(expectedOutput(S20_LoginProtection.class), outputOf(S20_LoginProtection.class));
    }

    /** Redis is killed and started again in the middle. */
    @Test
    @Tag("real-time")
    @Needs(Server.REDIS)
    void processesShareALimit(@TempDir Path dir) throws Exception {
        String printed = outputOfProcess(dir.resolve("output"), S18_ManyProcesses.class, "-Xmx64m");
        assertTrue(printed.contains("Redis is started again"), printed);
        assertTrue(printed.endsWith(": true\n"), printed);
    }

    @Test
    void theReadmeShowsASampleThatRuns() throws IOException {
        String readme = Files.readString(Path.of("../README.md"));
        String shown =
                readme.substring(readme.indexOf("```java\n") + 8, readme.indexOf("```\n", readme.indexOf("```java")));
        String sample = Files.readString(SOURCES.resolve("S02_RateLimiterInFiveLines.java"));
        assertTrue(sample.contains(shown.indent(8)), shown);
        assertTrue(shown.lines().count() <= 10, shown);
        for (String line : sample.lines().toList()) {
            if (line.startsWith("import dev.weir.")) {
                String type = line.substring("import ".length(), line.length() - 1);
                assertTrue(readme.contains("`" + type + "`"), type);
            }
        }
    }

    /** As those do that time out on a starved machine. */
    @Test
    void callersThatFailAreAccountedFor(@TempDir Path dir) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", HttpExchange::close);
        server.start();
        try {
            String printed = outputOfProcess(
                    dir.resolve("output"),
                    LoadGenerator.class,
                    "-Xmx64m",
                    "http://127.0.0.1:" + server.getAddress().getPort() + "/",
                    "1");
            assertTrue(printed.contains(" admitted=0 refused=0 "), printed);
            assertFalse(printed.contains(" failed=0 "), printed);
        } finally {
            server.stop(0);
        }
    }

    /** What it measures on a busy machine means nothing. */
    @Test
    @Tag("proof")
    void theServiceUnderOverloadRunsAndLosesNothing(@TempDir Path dir) throws Exception {
        boolean smoke = Stress.asked() == Stress.SMOKE;
        String printed = outputOfProcess(
                dir.resolve("output"),
                S10_AdaptiveService.class,
                "-Dweir.overload.seconds=" + Stress.of(1, 1, 20),
                smoke ? new String[] {"weir+queue"} : new String[0]);
        assertEquals(
                smoke ? 1 : 5,
                Pattern.compile("at the end: .*; lost=0$", Pattern.MULTILINE)
                        .matcher(printed)
                        .results()
                        .count(),
                printed);
    }

    /** As above, what it measures means nothing; its periods are too short for some of the limits to change. */
    @Test
    @Tag("proof")
    void clientsOfOneBackendLoseNothing(@TempDir Path dir) throws Exception {
        boolean smoke = Stress.asked() == Stress.SMOKE;
        String printed = outputOfProcess(
                dir.resolve("output"),
                S21_Fleet.class,
                "-Dweir.fleet.seconds=" + Stress.of(3, 36, 180),
                smoke ? new String[] {"weir"} : new String[0]);
        List<String> lines = printed.lines().toList();
        assertEquals("ok", lines.get(lines.size() - 1), printed);
        assertEquals(
                smoke ? 3 : 15,
                lines.stream()
                        .filter(line -> line.endsWith("; failed=0 lost=0"))
                        .count(),
                printed);
        Matcher row = Pattern.compile("^weir +(\\d+) +\\d[.]\\d+ +\\d[.]\\d+ +(\\d+[.]\\d+) ", Pattern.MULTILINE)
                .matcher(printed);
        assertTrue(row.find(), printed);
        assertTrue(Integer.parseInt(row.group(1)) > 0, printed);
        assertTrue(Double.parseDouble(row.group(2)) > 0, printed);
    }

    @Test
    @Tag("real-time")
    void theFleetEndsWithTheProcessThatStartedIt(@TempDir Path dir) throws Exception {
        Process running = started(dir.resolve("output"), S21_Fleet.class, "-Xmx64m", "fixed");
        try {
            await().until(() -> running.descendants().count() == 4);
            List<ProcessHandle> fleet = running.descendants().toList();
            running.destroyForcibly();
            await().until(() -> fleet.stream().noneMatch(ProcessHandle::isAlive));
        } finally {
            running.descendants().forEach(ProcessHandle::destroyForcibly);
            running.destroyForcibly();
        }
    }

    /** What it measures in so short a time means nothing. */
    @Test
    @Tag("real-time")
    void agentsSettleWhatTheProviderHasStreamed(@TempDir Path dir) throws Exception {
        String printed = outputOfProcess(dir.resolve("output"), S22_Agents.class, "-Dweir.agents.millis=400");
        assertTrue(printed.endsWith("\nok\n"), printed);
        Pattern row = Pattern.compile("(?m)^t.{29} +\\d[.]\\d\\d +\\d[.]\\d\\d +\\S+  (?: +\\d+[.]\\d){8}$");
        assertEquals(4, row.matcher(printed).results().count(), printed);
    }

    /** With the queries of the dashboard; those that do not answer read what the demo has not, such as a queue. */
    @Test
    @Tag("real-time")
    @Needs(Server.PROMETHEUS)
    void prometheusScrapesTheDemo(@TempDir Path dir) throws Exception {
        Path output = dir.resolve("output");
        Pattern scraped = Pattern.compile("its meters at (http://\\S+/metrics)\n");
        Process running = started(output, S01_GuardedService.class, "-Dweir.demo.seconds=60");
        try {
            await().until(() -> scraped.matcher(read(output)).find());
            Matcher address = scraped.matcher(read(output));
            assertTrue(address.find());
            Set<String> silent = new TreeSet<>(queriesOfTheDashboard("Limit and permits in flight A", "Keys A"));
            silent.addAll(queriesOfTheDashboard("Decisions by reason A", "Decisions by reason B", "Refused share A"));
            silent.addAll(queriesOfTheDashboard("Time of execution A", "Time of execution C", "Version in force A"));
            assertEquals(8, silent.size(), silent::toString);
            try (PrometheusServer server = PrometheusServer.scraping(URI.create(address.group(1)))) {
                await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                    silent.removeIf(query -> answers(server, query));
                    assertEquals(Set.of(), silent);
                });
            }
        } finally {
            running.descendants().forEach(ProcessHandle::destroyForcibly);
            running.destroyForcibly();
        }
    }

    /** Whether one of the series has a number. */
    private static boolean answers(PrometheusServer server, String query) {
        String expression =
                query.replaceAll("\\$(job|instance|name|source)\\b", ".*").replace("$__rate_interval", "4s");
        String answer = server.get("/api/v1/query?query=" + PrometheusServer.encoded(expression));
        return Pattern.compile("\"value\":\\[[0-9.]+,\"[0-9.e-]+\"]")
                .matcher(answer)
                .find();
    }

    /** Those of a panel, and the letter of one of its queries. */
    private static List<String> queriesOfTheDashboard(String... places) throws IOException {
        Object json;
        try (InputStream file = RegistryMeters.class.getResourceAsStream("/weir-limiters.json")) {
            json = new Load(LoadSettings.builder().build()).loadFromInputStream(Objects.requireNonNull(file));
        }
        List<String> queries = new ArrayList<>();
        for (Object panel : (List<?>) Objects.requireNonNull(((Map<?, ?>) json).get("panels"))) {
            Map<?, ?> fields = (Map<?, ?>) panel;
            if (fields.get("targets") instanceof List<?> targets) {
                for (Object target : targets) {
                    Map<?, ?> query = (Map<?, ?>) target;
                    if (List.of(places).contains(fields.get("title") + " " + query.get("refId"))) {
                        queries.add("" + query.get("expr"));
                    }
                }
            }
        }
        return queries;
    }

    private static String outputOfProcess(Path output, Class<?> sample, String option, String... args)
            throws Exception {
        Process running = started(output, sample, option, args);
        try {
            assertTrue(running.waitFor(10, TimeUnit.MINUTES), () -> "still running, so far:\n" + read(output));
        } finally {
            running.descendants().forEach(ProcessHandle::destroyForcibly);
            running.destroyForcibly();
        }
        String printed = read(output);
        assertEquals(0, running.exitValue(), printed);
        return printed;
    }

    private static Process started(Path output, Class<?> sample, String option, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                option,
                "-cp",
                System.getProperty("java.class.path"),
                sample.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static String outputOf(Class<?> sample, String... args) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream console = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            sample.getMethod("main", String[].class).invoke(null, (Object) args);
        } finally {
            System.setOut(console);
        }
        return printed.toString(StandardCharsets.UTF_8).replace("\r\n", "\n");
    }

    /** The indented lines of the header that follow "Expected output:". */
    private static String expectedOutput(Class<?> sample) throws IOException {
        String source = Files.readString(SOURCES.resolve(sample.getSimpleName() + ".java"));
        String after = source.substring(source.indexOf(" * Expected output:"), source.indexOf(" */"));
        StringBuilder expected = new StringBuilder();
        after.lines()
                .filter(line -> line.startsWith(" *     "))
                .forEach(line -> expected.append(line.substring(7)).append('\n'));
        return expected.toString();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
