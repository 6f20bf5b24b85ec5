package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The table of supported versions says what the poms have. */
@Tag("house")
class DependenciesTest {
    private static final Pattern VERSION = Pattern.compile("<([a-z0-9-]+)\\.version>([^<]+)<");
    private static final Map<String, String> PROPERTIES = Map.ofEntries(
            Map.entry("`lettuce-core`", "lettuce"),
            Map.entry("Netty", "netty"),
            Map.entry("`jetcd-core`", "jetcd"),
            Map.entry("`caffeine`", "caffeine"),
            Map.entry("`micrometer-core`", "micrometer"),
            Map.entry("`jackson-core`", "jackson"),
            Map.entry("`resilience4j-core`", "resilience4j"),
            Map.entry("`snakeyaml-engine`", "snakeyaml-engine"),
            Map.entry("`oshi-core`", "oshi"),
            Map.entry("`curator-framework`", "curator"),
            Map.entry("`zookeeper`", "zookeeper"));

    /** Of one module each, or by the BOM of Spring Boot that it imports. */
    private static final Set<String> WITHOUT_PROPERTY =
            Set.of("`nacos-client`", "`apollo-client`", "`reactor-core`", "`spring-web`", "`spring-context`");

    @Test
    void theTableHasTheLowestAndTheHighestVersionsOfTheParent() throws IOException {
        String parent = Sources.text(Sources.module("pom.xml"));
        int highest = parent.indexOf("<id>highest</id>");
        Map<String, String> compiled = versions(parent.substring(0, parent.indexOf("<dependencyManagement>")));
        Map<String, String> tested = new TreeMap<>(compiled);
        tested.putAll(versions(parent.substring(highest, parent.indexOf("</profile>", highest))));
        List<String[]> rows = rows();
        Set<String> all = new TreeSet<>(PROPERTIES.keySet());
        all.addAll(WITHOUT_PROPERTY);
        assertEquals(all, rows.stream().map(row -> row[2]).collect(Collectors.toCollection(TreeSet::new)));
        for (String[] row : rows) {
            String property = PROPERTIES.get(row[2]);
            if (property != null) {
                assertEquals(compiled.get(property), row[3], "lowest " + row[2]);
                assertEquals(tested.get(property), row[7], "highest " + row[2]);
            }
        }
    }

    @Test
    void theTableHasWhatTheBomSets() throws IOException {
        String bom = Sources.text(Sources.module("bom").resolve("pom.xml"));
        for (String[] row : rows()) {
            String artifact = row[2].equals("Netty") ? "netty-bom" : row[2].replace("`", "");
            String entry = "<artifactId>" + artifact + "</artifactId>\n        <version>";
            int at = bom.indexOf(entry);
            String version =
                    at < 0 ? row[3] : bom.substring(at + entry.length(), bom.indexOf("<", at + entry.length()));
            assertEquals(version, row[4], row[2]);
        }
    }

    /** Meters of a limiter bring neither OSHI nor JNA. */
    @Test
    void metersBringWhatTheyMeasureOnlyIfItIsOfTheApi() throws IOException {
        String pom = Sources.text(Sources.module("integrations").resolve("insight/micrometer/pom.xml"));
        for (String artifact : List.of("admission-queue", "adaptive", "config", "distributed")) {
            String optional = "<artifactId>weir-" + artifact + "</artifactId>\n      <optional>true</optional>";
            assertTrue(pom.contains(optional), artifact);
        }
    }

    private static List<String[]> rows() throws IOException {
        return Stream.of(Sources.document("dependencies.md").split("\n"))
                .filter(line -> line.startsWith("| `weir"))
                .map(line -> line.split(" *\\| *"))
                .toList();
    }

    private static Map<String, String> versions(String xml) {
        Map<String, String> versions = new TreeMap<>();
        for (MatchResult found : VERSION.matcher(xml).results().toList()) {
            versions.put(found.group(1), found.group(2));
        }
        return versions;
    }
}
