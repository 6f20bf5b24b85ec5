package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OraclesTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int sim(Path oracles, String seed) throws IOException {
        err.reset();
        return Sim.run(
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                "--scenario",
                "low_rate",
                "--algorithm",
                "Static200",
                "--seed",
                seed,
                "--oracles",
                oracles.toString(),
                "--csv",
                directory.resolve("results.csv").toString(),
                "--out",
                directory.toString());
    }

    private double goodputRatio() throws IOException {
        return Double.parseDouble(
                Files.readAllLines(directory.resolve("results.csv")).get(1).split(",")[3]);
    }

    @Test
    void aRunTakesFromTheFileWhatIsInItAndAddsTheRest() throws IOException {
        Path file = directory.resolve("kept/oracles.txt");
        assertEquals(0, sim(file, "1"), err::toString);
        double ratio = goodputRatio();
        List<String> lines = Files.readAllLines(file);
        assertEquals(1, lines.size());
        assertEquals(1, file.getParent().toFile().list().length, "and nothing beside it");
        assertTrue(lines.get(0).matches("low_rate 1 [0-9a-f]+ [1-9][0-9]*"), lines.get(0));
        int goodput = Integer.parseInt(lines.get(0).split(" ")[3]);

        Files.writeString(file, lines.get(0).replaceAll(" \\d+$", " " + 2 * goodput) + "\n");
        assertEquals(0, sim(file, "1,2"), err::toString);
        assertEquals(ratio / 2, goodputRatio(), 1e-6, "to the goodput in the file");
        List<String> more = Files.readAllLines(file);
        assertEquals(2, more.size());
        assertTrue(more.get(0).endsWith(" " + 2 * goodput), more.get(0));
        assertTrue(more.get(1).startsWith("low_rate 2 "), more.get(1));
    }

    /** So that scenarios of one name, in files of one's own, are told apart. */
    @Test
    void anotherScenarioOfTheSameNameAndSeedHasALineOfItsOwn() throws IOException {
        Path file = directory.resolve("oracles");
        Oracles oracles = Oracles.in(file);
        Scenario slow = scenario(200);
        Scenario quick = scenario(20);
        int ofSlow = oracles.goodput(slow, new Arrivals(slow, 1), 1);
        int ofQuick = oracles.goodput(quick, new Arrivals(quick, 1), 1);
        assertNotEquals(ofSlow, ofQuick);
        oracles.write();
        List<String> lines = Files.readAllLines(file);
        assertEquals(2, lines.size());
        assertTrue(lines.stream().allMatch(line -> line.startsWith("any_name 1 ")), lines::toString);
        assertEquals(ofSlow, Oracles.in(file).goodput(slow, new Arrivals(slow, 1), 1));
    }

    private static Scenario scenario(double meanMillis) {
        Scenario.Cpu cpu = new Scenario.Cpu(false, Steps.always(2), Steps.always(1), 0, 0);
        return Scenario.of("any name", 10, 300, Steps.always(20), meanMillis, cpu, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"low_rate 1 5f 12 ", "low_rate 1 5f", "low_rate 1 5f twelve", "low_rate one 5f 12", ""})
    void aBrokenLineIsSaidBeforeAnythingRunsAndStays(String line) throws IOException {
        Path file = Files.writeString(directory.resolve("oracles"), "low_rate 1 5f 12\n" + line + "\n");
        assertEquals(2, sim(file, "1"));
        assertTrue(
                err.toString(StandardCharsets.UTF_8)
                        .startsWith("sim: --oracles " + file
                                + ", line 2: must be scenario, seed, checksum and goodput, was " + line + "\n"),
                err::toString);
        assertEquals("low_rate 1 5f 12\n" + line + "\n", Files.readString(file));
        assertFalse(Files.exists(directory.resolve("results.csv")));
    }

    @Test
    void aPlaceForNoFileIsSaidBeforeAnythingRuns() throws IOException {
        Path text = Files.writeString(directory.resolve("text"), "");
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff});
        for (Path wrong : List.of(directory, text.resolve("below"), binary)) {
            assertEquals(2, sim(wrong, "1"));
            String said = err.toString(StandardCharsets.UTF_8);
            assertTrue(
                    said.startsWith("sim: --oracles must be a file of text that can be read and written, was " + wrong),
                    said);
            assertFalse(said.contains("low_rate"), said);
        }
    }
}
