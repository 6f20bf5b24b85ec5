package dev.weir.micrometer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The dashboard and the alerts of this module. */
final class Dashboard {
    static final Path FILE = Path.of("src/main/resources/weir-limiters.json");
    static final Path ALERTS = Path.of("src/main/resources/weir-alerts.yml");

    final JsonNode json = new ObjectMapper().readTree(Files.readString(FILE));

    Dashboard() throws IOException {}

    /** The panels, but for the headings of rows. */
    List<JsonNode> panels() {
        return all(json.path("panels")).stream()
                .filter(panel -> !panel.path("type").asText().equals("row"))
                .toList();
    }

    static List<JsonNode> all(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }

    /** The queries of panels and annotations, by where they are. */
    Map<String, String> queries() {
        Map<String, String> queries = new TreeMap<>();
        for (JsonNode panel : panels()) {
            for (JsonNode target : panel.path("targets")) {
                String place = panel.path("title").asText() + " "
                        + target.path("refId").asText();
                queries.put(place, target.path("expr").asText());
            }
        }
        for (JsonNode annotation : json.path("annotations").path("list")) {
            queries.put(
                    annotation.path("name").asText(), annotation.path("expr").asText());
        }
        return queries;
    }

    /** The queries of the variables, by their names. */
    Map<String, String> variables() {
        Map<String, String> variables = new TreeMap<>();
        for (JsonNode variable : json.path("templating").path("list")) {
            if (variable.path("type").asText().equals("query")) {
                variables.put(
                        variable.path("name").asText(),
                        variable.path("query").path("query").asText());
            }
        }
        return variables;
    }

    /** The expressions of the alerts, by their names. */
    static Map<String, String> alerts() throws IOException {
        Map<String, String> alerts = new TreeMap<>();
        for (Map<?, ?> rule : maps(yaml(ALERTS), "groups").stream()
                .flatMap(group -> maps(group, "rules").stream())
                .toList()) {
            alerts.put("" + rule.get("alert"), "" + rule.get("expr"));
        }
        return alerts;
    }

    static Map<?, ?> yaml(Path file) throws IOException {
        Load load = new Load(LoadSettings.builder().build());
        return (Map<?, ?>) load.loadFromString(Files.readString(file));
    }

    static List<Map<?, ?>> maps(Map<?, ?> parent, String name) {
        List<Map<?, ?>> maps = new ArrayList<>();
        ((List<?>) parent.get(name)).forEach(entry -> maps.add((Map<?, ?>) entry));
        return maps;
    }
}
