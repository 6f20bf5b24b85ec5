package dev.weir.micrometer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code promtool} says of the alerts and of what is scraped. */
@Needs(Server.PROMTOOL)
class AlertsTest {
    private static final List<Path> UNITS = List.of(
            Path.of("src/test/resources/weir-alerts-test.yml"),
            Path.of("src/test/resources/weir-alerts-days-test.yml"));

    @TempDir
    Path folder;

    private record Said(int code, String text) {}

    private Said promtool(String input, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(Server.PROMTOOL.command()));
        command.addAll(List.of(arguments));
        Path in = Files.writeString(folder.resolve("input"), input);
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(in.toFile())
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Said(process.waitFor(), text);
    }

    @Test
    void theRulesAreRight() throws Exception {
        Said said =
                promtool("", "check", "rules", Dashboard.ALERTS.toAbsolutePath().toString());
        assertEquals(0, said.code(), said::text);
    }

    @Test
    void eachUnitOfTheRulesHolds() throws Exception {
        for (Path file : UNITS) {
            Files.copy(file, folder.resolve(file.getFileName()));
        }
        Files.copy(Dashboard.ALERTS, folder.resolve("weir-alerts.yml"));
        Said said = promtool(
                "",
                "test",
                "rules",
                "" + UNITS.get(0).getFileName(),
                "" + UNITS.get(1).getFileName());
        assertEquals(0, said.code(), said::text);
        assertFalse(said.text().contains("FAILED"), said::text);
    }

    @Test
    void eachAlertHasAUnitThatFiresAndOneThatDoesNot() throws IOException {
        Map<String, Set<String>> units = new TreeMap<>();
        for (Path file : UNITS) {
            for (Map<?, ?> unit : Dashboard.maps(Dashboard.yaml(file), "tests")) {
                for (Map<?, ?> at : Dashboard.maps(unit, "alert_rule_test")) {
                    boolean isQuiet = ((List<?>) at.get("exp_alerts")).isEmpty();
                    units.computeIfAbsent("" + at.get("alertname"), any -> new TreeSet<>())
                            .add(isQuiet ? "does not" : "fires");
                }
            }
        }
        assertEquals(Dashboard.alerts().keySet(), units.keySet());
        units.forEach((alert, both) -> assertEquals(Set.of("fires", "does not"), both, alert));
    }

    @Test
    void nothingIsWrongWithTheNamesAndHelpTextsOfAScrape() throws Exception {
        try (LimitsUnderLoad load = new LimitsUnderLoad(folder)) {
            await().until(() -> load.scrape().contains("weir_limit_changes_total"));
            assertEquals(new Said(0, ""), promtool(load.scrape(), "check", "metrics"));
        }
    }
}
