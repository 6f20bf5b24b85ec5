package dev.weir.samples;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Request;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.Lint;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.named.status.TimedEvent;
import dev.weir.spi.Registration;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page for operators: its calls are regions of this class, and each answer that it shows is what they print here. */
class OperateTest {
    private static final Path PAGE = Path.of("../docs/guides/operate.md");
    private static final Pattern ANSWER = Pattern.compile("```text\n(.*?)\n```", Pattern.DOTALL);
    private static final String DOCUMENT = """
            document: { version: %d, author: %s, reason: %s }
            limits:
              checkout: { concurrency: %d, queue: { capacity: 100, max-wait: 200ms } }
              api:
                rate: 2/h
                key: client
            """;

    private final List<String> answers = new ArrayList<>();

    private void print(Object answer) {
        answers.add(answer.toString().replaceAll("127[.]0[.]0[.]1:\\d+", "zk1:2181"));
    }

    private LimiterRegistry started(DocumentStore store, String instance) {
        return LimiterRegistry.builder()
                .source(store.source())
                .instance(instance)
                .clock(() -> Instant.parse("2026-03-01T12:00:00Z"))
                .startWithin(Duration.ofSeconds(30))
                .build();
    }

    private static void awaitVersion(String version, LimiterRegistry... registries) {
        for (LimiterRegistry registry : registries) {
            await().until(() -> registry.status().version().equals(version));
        }
    }

    @Test
    void eachAnswerOfThePageIsWhatTheCallPrints(@TempDir Path directory) throws Exception {
        try (DocumentStore store = DocumentStore.of("zookeeper")) {
            store.write(DOCUMENT.formatted(6, "ann", "launch", 20));
            try (LimiterRegistry registry = started(store, "pod-1");
                    LimiterRegistry other = started(store, "pod-2")) {
                store.write(DOCUMENT.formatted(7, "ben", "sale", 40));
                awaitVersion("7", registry, other);
                ask(registry, store, other, directory);
            }
        }
        List<String> shown = ANSWER.matcher(Files.readString(PAGE))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
        assertEquals(String.join("\n\n", answers), String.join("\n\n", shown));
    }

    private void ask(LimiterRegistry registry, DocumentStore store, LimiterRegistry other, Path directory)
            throws Exception {
        // #region why
        print(registry.names().explain("checkout"));
        // #endregion why

        await().until(() ->
                registry.rollout().stream().allMatch(row -> row.running().equals("7")));
        // #region rollout
        String rows = registry.rollout().stream()
                .map(row ->
                        row.instance() + " runs " + row.running() + ", offered " + row.offered() + ": " + row.result())
                .sorted()
                .collect(Collectors.joining("\n"));
        // #endregion rollout
        print(rows);

        // #region refused
        NamedLimiter api = registry.limiter("api");
        Request request = api.request(Map.of("client", "c1")::get);
        api.tryAcquire(request);
        api.tryAcquire(request);
        String why = api.tryAcquire(request).toString();
        // #endregion refused
        print(why.replaceAll("retryAfterNanos=\\d+", "retryAfterNanos=..."));

        // #region quota
        String left = String.valueOf(api.quota(api.request(Map.of("client", "c2")::get)));
        // #endregion quota
        print(left);

        // #region override
        Registration trial =
                registry.override("checkout", "concurrency: 30", Duration.ofMinutes(10), "eve", "is 30 enough?");
        // #endregion override
        print(registry.names().explain("checkout").toString().lines().limit(4).collect(Collectors.joining("\n")));
        trial.close();
        // #region revision
        long seen = registry.limiter("checkout").status().revision();
        Registration mine =
                registry.override("checkout", "concurrency: 35", Duration.ofMinutes(10), "eve", "a little more", seen);
        // #endregion revision
        print(assertThrows(
                        RevisionChangedException.class,
                        () -> registry.override(
                                "checkout", "concurrency: 10", Duration.ofMinutes(10), "ann", "incident", seen))
                .getMessage()
                .replaceAll("\\d{10,}", "..."));
        mine.close();

        back(registry, store, other);
        wrong(registry, store, other);
        lint(directory);
        away(registry, store);
    }

    private void back(LimiterRegistry registry, DocumentStore store, LimiterRegistry other) throws Exception {
        store.write(DOCUMENT.formatted(8, "ann", "as 6", 20));
        awaitVersion("8", registry, other);
        await().until(() -> registry.names().events().stream()
                .anyMatch(each -> each.event() instanceof ConfigEvent.Changed next
                        && next.version().equals("8")));
        // #region events
        List<TimedEvent> kept = registry.names().events();
        TimedEvent last = kept.get(kept.size() - 1);
        // #endregion events
        ConfigEvent.Changed changed = assertInstanceOf(ConfigEvent.Changed.class, last.event());
        print(last.at() + " version " + changed.version() + " by " + changed.author() + ": " + changed.differences());
    }

    private void wrong(LimiterRegistry registry, DocumentStore store, LimiterRegistry other) throws Exception {
        store.write("document: { version: 9 }\nlimits:\n  checkout: { concurrency: many }\n");
        awaitVersion("9", registry, other);
        // #region problems
        registry.status().problems().forEach(this::print);
        // #endregion problems

        // #region orphans
        print(registry.status().orphans());
        // #endregion orphans
    }

    private void lint(Path directory) throws Exception {
        Path file = directory.resolve("limits.yaml");
        Files.writeString(file, "limits:\n  checkout: { concurency: 40 }\n  api: { rate: 2/s, key: client }\n");
        Process lint = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Lint.class.getName(),
                        file.getFileName().toString())
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String printed = new String(lint.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        print(printed.strip() + "\n(exit code " + lint.waitFor() + ")");
    }

    private void away(LimiterRegistry registry, DocumentStore store) {
        store.close();
        await().until(() -> !registry.status().up());
        // #region away
        print("up: " + registry.status().up() + ", version in force: "
                + registry.status().version());
        // #endregion away
    }
}
