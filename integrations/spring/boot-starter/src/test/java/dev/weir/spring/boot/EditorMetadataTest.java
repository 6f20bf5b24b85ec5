package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.schema.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/**
 * The properties of documents for editors, which are those of the schema of documents; {@code -Dweir.rewrite=true} writes them
 * again.
 */
final class EditorMetadataTest {
    private static final String FILE = "additional-spring-configuration-metadata.json";
    private static final Map<String, String> TYPES = Map.of(
            "version", "java.lang.Long",
            "replaces", "java.lang.Long",
            "author", "java.lang.String",
            "reason", "java.lang.String");
    private static final String NAMED =
            "java.util.Map<java.lang.String,java.util.Map<java.lang.String,java.lang.Object>>";

    @Test
    void theFileHasWhatTheSchemaHas() throws IOException {
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.writeString(Path.of("src/main/resources/META-INF", FILE), generated());
        } else {
            assertEquals(generated(), resource(FILE));
        }
    }

    @Test
    void thePropertiesOfTheStarterAreDescribedByTheirRecords() throws IOException {
        String all = resource("spring-configuration-metadata.json");
        for (String name : List.of("weir.source.file", "weir.web.routes", "weir.web.order", "weir.limits")) {
            assertTrue(all.contains("\"name\": \"" + name + "\""), name);
        }
        assertTrue(all.contains("how often the file is read") || all.contains("How often the file is read"), all);
    }

    private static String generated() {
        Map<String, Object> schema = JsonParserFactory.getJsonParser().parseMap(Schema.text());
        Map<String, Object> sections = map(schema.get("properties"));
        List<String> properties = new ArrayList<>();
        header(map(sections.get("document")))
                .forEach((name, field) -> properties.add(property(
                        "document." + name,
                        TYPES.getOrDefault(name, "java.lang.Object"),
                        String.valueOf(map(field).get("description")))));
        String fields = String.join(
                ", ",
                map(map(map(schema.get("definitions")).get("fields")).get("properties"))
                        .keySet());
        for (String section : List.of("templates", "limits")) {
            String description = String.valueOf(map(sections.get(section)).get("description"));
            properties.add(property(section, NAMED, description + " Fields: " + fields + "."));
        }
        properties.add(property("removed", "java.util.List<java.lang.String>", description(sections, "removed")));
        properties.add(property(
                "values", "java.util.Map<java.lang.String,java.lang.Object>", description(sections, "values")));
        return "{\n  \"properties\": [\n" + String.join(",\n", properties) + "\n  ]\n}\n";
    }

    private static Map<String, Object> header(Map<String, Object> document) {
        Map<String, Object> own = map(document.get("properties"));
        if (!own.isEmpty()) {
            return own;
        }
        for (String forms : List.of("anyOf", "allOf")) {
            if (document.get(forms) instanceof List<?> list) {
                for (Object form : list) {
                    Map<String, Object> found = header(map(form));
                    if (!found.isEmpty()) {
                        return found;
                    }
                }
            }
        }
        return Map.of();
    }

    private static String description(Map<String, Object> sections, String name) {
        return String.valueOf(map(sections.get(name)).get("description"));
    }

    private static String property(String name, String type, String description) {
        return "    {\n      \"name\": \"weir." + name + "\",\n      \"type\": \"" + type
                + "\",\n      \"description\": \""
                + description.replace("\\", "\\\\").replace("\"", "\\\"") + "\"\n    }";
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return value instanceof Map<?, ?> ? (Map<String, Object>) value : Map.of();
    }

    /* Other jars have files of these names too. */
    private static String resource(String name) throws IOException {
        for (URL each :
                Collections.list(WeirAutoConfiguration.class.getClassLoader().getResources("META-INF/" + name))) {
            try (InputStream bytes = each.openStream()) {
                String text = new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
                if (text.contains("\"weir.")) {
                    return text;
                }
            }
        }
        throw new AssertionError(name);
    }
}
