package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The form of the dashboard: what Grafana would not draw, or would draw over something else. */
class DashboardTest {
    private static final Path SCRIPT = Path.of("src/grafana");
    private static final String WRITE = "in src/grafana: npm ci && npm run build";

    private final Dashboard dashboard = new Dashboard();

    DashboardTest() throws IOException {}

    @Test
    void eachPanelHasAnIdATitleAUnitAndADescription() {
        assertEquals(42, dashboard.json.path("schemaVersion").asInt());
        assertEquals("weir-limiters", dashboard.json.path("uid").asText());
        Set<Integer> ids = new HashSet<>();
        Dashboard.all(dashboard.json.path("panels"))
                .forEach(panel -> assertTrue(ids.add(panel.path("id").asInt()), panel::toString));
        Set<String> titles = new HashSet<>();
        assertTrue(dashboard.panels().size() > 20);
        for (JsonNode panel : dashboard.panels()) {
            String title = panel.path("title").asText();
            assertTrue(!title.isBlank() && titles.add(title), title);
            assertFalse(
                    panel.path("fieldConfig")
                            .path("defaults")
                            .path("unit")
                            .asText()
                            .isBlank(),
                    title);
            assertFalse(panel.path("description").asText().isBlank(), title);
            assertFalse(panel.path("targets").isEmpty(), title);
            for (JsonNode target : panel.path("targets")) {
                assertFalse(target.path("legendFormat").asText().isBlank(), title);
            }
        }
    }

    @Test
    void noPanelIsOverAnotherOne() {
        Map<String, String> taken = new HashMap<>();
        for (JsonNode panel : dashboard.json.path("panels")) {
            JsonNode place = panel.path("gridPos");
            String title = panel.path("title").asText();
            int right = place.path("x").asInt() + place.path("w").asInt();
            assertTrue(place.path("w").asInt() > 0 && place.path("h").asInt() > 0 && right <= 24, title);
            for (int x = place.path("x").asInt(); x < right; x++) {
                for (int y = 0; y < place.path("h").asInt(); y++) {
                    String before = taken.put(x + "," + (place.path("y").asInt() + y), title);
                    assertEquals(null, before, () -> title + " is over " + before);
                }
            }
        }
    }

    @Test
    void theDataSourceIsTheVariableAlone() {
        List<JsonNode> sources = dashboard.json.findValues("datasource");
        assertTrue(sources.size() > 40);
        sources.forEach(source -> {
            assertEquals("${DS}", source.path("uid").asText());
            assertEquals("prometheus", source.path("type").asText());
        });
        JsonNode first = dashboard.json.path("templating").path("list").path(0);
        assertEquals("DS", first.path("name").asText());
        assertEquals("datasource", first.path("type").asText());
        assertEquals("prometheus", first.path("query").asText());
    }

    @Test
    void theFileIsThatOfTheScriptByItsDigest() throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(Files.readAllBytes(SCRIPT.resolve("dashboard.mjs")));
        digest.update(Files.readAllBytes(Dashboard.FILE));
        assertEquals(
                Files.readString(SCRIPT.resolve("digest")).strip(),
                HexFormat.of().formatHex(digest.digest()),
                WRITE);
    }

    /** Where Node is, and the builders of Grafana are or can be had. */
    @Test
    void theScriptWritesTheFile() throws Exception {
        Path folder = Files.createDirectories(Path.of("target/grafana"));
        Path had = folder.resolve("node_modules/had.json");
        Path lock = SCRIPT.resolve("package-lock.json");
        boolean isThere = Files.exists(had) && Files.mismatch(had, lock) == -1;
        for (String name : List.of("dashboard.mjs", "package.json", "package-lock.json")) {
            Files.write(folder.resolve(name), Files.readAllBytes(SCRIPT.resolve(name)));
        }
        if (!isThere) {
            String options = "--prefer-offline --ignore-scripts --no-audit --no-fund --fetch-retries=0";
            assumeTrue(isDone(folder, ("npm ci " + options).split(" ")), "npm cannot get the builders of Grafana");
            Files.write(had, Files.readAllBytes(lock));
        }
        assertTrue(isDone(folder, "node", "dashboard.mjs", "written.json"));
        assertEquals(Files.readString(Dashboard.FILE), Files.readString(folder.resolve("written.json")), WRITE);
    }

    private static boolean isDone(Path folder, String... command) throws Exception {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException missing) {
            return false;
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        if (code != 0) {
            System.out.println(said);
        }
        return code == 0;
    }
}
