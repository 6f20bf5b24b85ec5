package dev.weir.micrometer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.testservers.Needs;
import dev.weir.testservers.PrometheusServer;
import dev.weir.testservers.Server;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard and the alerts on a Prometheus that scrapes limits under load. */
@Needs(Server.PROMETHEUS)
@Tag("real-time")
class PrometheusTest {
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values[(](.*), (\\w+)[)]");

    @TempDir
    Path folder;

    private static JsonNode answer(PrometheusServer server, String path) throws IOException {
        JsonNode answer = new ObjectMapper().readTree(server.get(path));
        assertEquals("success", answer.path("status").asText(), () -> path + " " + answer);
        return answer.path("data");
    }

    /** As Grafana does it for "All". */
    private static String replaced(String expression) {
        return expression.replaceAll("\\$(job|instance|name|source)\\b", ".*").replace("$__rate_interval", "4s");
    }

    /** Whether one of the series has a number. */
    private static boolean answers(PrometheusServer server, String expression) throws IOException {
        JsonNode data = answer(server, "/api/v1/query?query=" + PrometheusServer.encoded(replaced(expression)));
        return Dashboard.all(data.path("result")).stream()
                .anyMatch(series -> !series.path("value").path(1).asText().equals("NaN"));
    }

    @Test
    void eachQueryOfTheDashboardAnswersWithData() throws Exception {
        Dashboard dashboard = new Dashboard();
        Map<String, String> silent = new TreeMap<>(dashboard.queries());
        assertTrue(silent.size() > 50);
        try (LimitsUnderLoad load = new LimitsUnderLoad(folder);
                PrometheusServer server = PrometheusServer.scraping(load.address(), Dashboard.ALERTS)) {
            await().alias("queries without data")
                    .atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(500))
                    .untilAsserted(() -> {
                        for (String place : silent.keySet().toArray(String[]::new)) {
                            if (answers(server, silent.get(place))) {
                                silent.remove(place);
                            }
                        }
                        assertEquals(Map.of(), silent);
                    });
            for (String query : dashboard.variables().values()) {
                Matcher found = LABEL_VALUES.matcher(replaced(query));
                assertTrue(found.matches(), query);
                JsonNode values = answer(
                        server,
                        "/api/v1/label/" + found.group(2) + "/values?match[]="
                                + PrometheusServer.encoded(found.group(1)));
                assertTrue(values.size() > 0, query);
            }
            assertEquals(Dashboard.alerts().keySet(), evaluated(server).keySet());
            evaluated(server).forEach((alert, health) -> assertEquals("ok", health, alert));
        }
    }

    private static Map<String, String> evaluated(PrometheusServer server) throws IOException {
        Map<String, String> health = new TreeMap<>();
        for (JsonNode group : answer(server, "/api/v1/rules").path("groups")) {
            group.path("rules")
                    .forEach(rule -> health.put(
                            rule.path("name").asText(), rule.path("health").asText()));
        }
        return health;
    }
}
