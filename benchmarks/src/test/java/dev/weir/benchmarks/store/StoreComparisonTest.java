package dev.weir.benchmarks.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each row of the comparison, for a moment. */
@Tag("real-time")
@Needs(Server.REDIS)
class StoreComparisonTest {
    private static final int DECISIONS = 4;
    private static final int RATIO = 5;
    private static final int REDIS = 6;
    private static final int MEMORY = 10;

    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) throws Exception {
        return StoreComparison.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                args);
    }

    @Test
    @Needs(Server.POSTGRES)
    void eachRowIsMeasuredAndThePageHasItsCommand() throws Exception {
        Path page = folder.resolve("stores.md");
        assertEquals(0, run("--turns", "1", "--millis", "20", "--keys", "50", "--report", page.toString()));
        List<StoreRow> rows = StoreRows.all(50);
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertEquals(2 + rows.size(), lines.size());
        for (int i = 0; i < rows.size(); i++) {
            hasAllFigures(rows.get(i), lines.get(2 + i));
        }
        String written = Files.readString(page);
        assertTrue(
                written.contains("`./weir bench store --turns 1 --millis 20 --keys 50 --report " + page + "` writes"),
                written);
        assertTrue(written.endsWith(out.toString(StandardCharsets.UTF_8)), written);
    }

    private static void hasAllFigures(StoreRow row, String line) {
        String[] cells = line.split("\\|", -1);
        assertEquals(12, cells.length, line);
        assertEquals("`" + row.name() + "`", cells[1].strip());
        assertTrue(number(cells[DECISIONS]) > 0, line);
        assertEquals(!row.place().isRedis(), cells[REDIS].isBlank(), line);
        assertEquals(row.place() != Place.REDIS, cells[RATIO].isBlank(), line);
        assertEquals(row.memory() == null, cells[MEMORY].isBlank(), line);
        if (row.memory() != null) {
            for (String bytes : cells[MEMORY].split("/")) {
                assertTrue(number(bytes) > 0, line);
            }
        }
    }

    private static double number(String cell) {
        return Double.parseDouble(cell.strip().replace(",", ""));
    }

    @Test
    void wrongArgumentsAreToldBeforeAnythingIsStarted() throws Exception {
        assertEquals(2, run("--turns"));
        assertEquals(2, run("--keys", "0"));
        assertEquals(2, run("--millis", "many"));
        assertEquals(2, run("("));
        assertEquals(
                4,
                err.toString(StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.startsWith("bench store: "))
                        .count());
        assertEquals(0, out.size());
    }
}
