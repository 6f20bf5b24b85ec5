package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimTest {
    private static final String EXAMPLE = "src/main/resources/scenarios.json";

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int sim(String... args) throws IOException {
        out.reset();
        err.reset();
        String[] all = Stream.concat(Arrays.stream(args), Stream.of("--out", directory.toString()))
                .toArray(String[]::new);
        return Sim.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                all);
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    /* Each row on a thread of its own, and all on one. */
    @Test
    void aSeedDecidesEverythingWhateverTheThreads() throws IOException {
        String[] asked = {"--seed", "1,2", "--scenario", "low_rate|tiny", "--algorithm", "weir|Vegas|Envoy"};
        assertEquals(0, sim(with(asked, "--threads", "4")));
        String tables = printed();
        String json = Files.readString(directory.resolve("sim.json"));
        assertEquals(0, sim(with(asked, "--threads", "1")));
        assertEquals(tables, printed());
        assertEquals(json, Files.readString(directory.resolve("sim.json")));
        assertEquals(2 + 2 * 2 * 8, json.lines().count(), json);
        assertFalse(tables.contains("## Bars"), "a part of the suite is not judged");
    }

    private static String[] with(String[] some, String... more) {
        return Stream.concat(Arrays.stream(some), Arrays.stream(more)).toArray(String[]::new);
    }

    @Test
    void scenariosOfOnesOwnAreRunReportedAndDrawn() throws IOException {
        Path report = directory.resolve("some/report.md");
        assertEquals(
                0,
                sim(
                        "--scenario-file",
                        EXAMPLE,
                        "--seed",
                        "7",
                        "--algorithm",
                        "weir+queue",
                        "--report",
                        report.toString()),
                err::toString);
        assertTrue(Files.readString(report).contains("`./weir sim --scenario-file " + EXAMPLE + " --seed 7"));
        assertTrue(Files.readString(report).endsWith(printed()));
        assertTrue(printed().contains("| checkout_sale  |") && printed().contains("| database_slows |"), printed());
        assertEquals(0, sim("--scenario-file", EXAMPLE, "--algorithm", "weir+queue", "--chart", "checkout_sale"));
        assertEquals("", printed());
        String svg = Files.readString(directory.resolve("sim-checkout_sale.svg"));
        assertTrue(svg.contains("oracle: limit") && svg.contains("offered") && svg.contains("weir+queue"));
        assertTrue(Files.size(directory.resolve("sim-checkout_sale.png")) > 1000);
    }

    @Test
    void startsControllersAndQueuesAreRowsOfTheirOwn() throws IOException {
        Path csv = directory.resolve("results.csv");
        assertEquals(
                0,
                sim(
                        "--set",
                        "suite,mixes",
                        "--scenario",
                        "tiny|work_5%_500x_load_0.6",
                        "--seed",
                        "1",
                        "--start",
                        "1,200",
                        "--controller",
                        "default,aimd",
                        "--queue",
                        "none,codel",
                        "--csv",
                        csv.toString()));
        assertTrue(printed().startsWith("# suite: tuned on\n"), printed());
        assertTrue(printed().contains("# mixes: reported on\n"), printed());
        List<String> rows = Files.readAllLines(csv);
        assertEquals(1 + 2 * 2 * 2 * 2, rows.size());
        assertTrue(rows.get(0).startsWith("scenario,seed,algorithm,goodput_ratio,"));
        assertTrue(rows.get(2).startsWith("tiny_det_2x,1,weir+codel@1,"), rows.get(2));
        assertTrue(rows.get(16).startsWith("work_5%_500x_load_0.6,1,weir-aimd+codel@200,"), rows.get(16));
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("1/1 tiny_det_2x, seed 1: "));
        assertTrue(err.toString(StandardCharsets.UTF_8).contains(" left"));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void theScriptPrintsTheHelpWithoutABuild() throws IOException {
        Process script = new ProcessBuilder("bash", "../weir", "sim", "--help")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String help = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, sim("--help"));
        assertEquals(printed(), help);
    }

    @Test
    void timeLeftIsSaidInSecondsAndMinutes() {
        assertEquals("0 s", Suite.spoken(0));
        assertEquals("99 s", Suite.spoken(99.4e9));
        assertEquals("2 min", Suite.spoken(100e9));
    }

    @Test
    void peersStandBesideOursInAFleet() throws IOException {
        Path csv = directory.resolve("results.csv");
        String asked =
                "--set fleet --scenario ^alike_2$ --seed 1 --algorithm ^(weir|Vegas|VegasWin|Gradient2|AIMD|Envoy)$";
        assertEquals(0, sim(with(asked.split(" "), "--csv", csv.toString())), err::toString);
        assertEquals(
                List.of("weir", "Vegas", "VegasWin", "Gradient2", "AIMD", "Envoy"),
                Files.readAllLines(csv).stream()
                        .skip(1)
                        .map(row -> row.split(",")[2])
                        .toList());
    }

    @Test
    void theControllerOfTheOnlyLimitIsARowOfItsOwn() throws IOException {
        Path csv = directory.resolve("results.csv");
        String asked = "--scenario low_rate --seed 1 --controller default,alone --queue none";
        assertEquals(0, sim(with(asked.split(" "), "--csv", csv.toString())), err::toString);
        List<String> rows = Files.readAllLines(csv);
        assertEquals(3, rows.size());
        assertTrue(rows.get(1).startsWith("low_rate,1,weir,"), rows.get(1));
        assertTrue(rows.get(2).startsWith("low_rate,1,weir-alone,"), rows.get(2));
        assertFalse(rows.get(1).endsWith(rows.get(2).substring("low_rate,1,weir-alone,".length())), "they differ");
    }

    @Test
    void variantsGoToAFileOfTheirOwn() throws IOException {
        assertEquals(0, sim("--variants", "--seed", "1", "--scenario", "low_rate#1"));
        assertEquals(
                2 + 3,
                Files.readString(directory.resolve("variants.json")).lines().count());
        assertFalse(Files.exists(directory.resolve("sim.json")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--nonsense; unknown argument --nonsense",
                "--seed; --seed needs a value",
                "--seed 1,x; --seed must be a whole number",
                "--seed 1,,2; was empty",
                "--threads 0; --threads must be a whole number within 1 and 1024, was 0",
                "--scenario nothing; matched none",
                "--algorithm nobody; matched none",
                "--algorithm (; --algorithm must be a regular expression, was (",
                "--set nothing; --set must be one of [suite, services, mixes, variants, structures, fleet, quiet, starts, bursts, cliffs], was nothing",
                "--clocks -1; --clocks must be a whole number within 0 and 60000, was -1",
                "--clocks 60001; --clocks must be a whole number within 0 and 60000, was 60001",
                "--clocks 5,50; --clocks must be a whole number within 0 and 60000, was 5,50",
                "--start 0; --start must be a whole number within 1 and 10000, was 0",
                "--queue none,best; --queue must be of [none, fifo, ",
                "--controller pid; --controller must be of [default, alone, aimd, ",
                "--chart nothing; --chart must be one of [under_0.7x, ",
                "--scenario-file /nowhere.json; scenario file must be readable",
                "--set services --scenario-file x; not with --scenario-file",
            })
    void wrongArgumentsAreSaidAndEndWith2(String args, String said) throws IOException {
        assertEquals(2, sim(args.split(" ")));
        assertTrue(err.toString(StandardCharsets.UTF_8).contains(said), err::toString);
        assertEquals("", printed());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "\"retries\": 1; \"retries\": -1; retries must be >= 0, was -1",
                "\"retries\": 1,; ; ([0].retries)",
                "\"seconds\": 60; \"seconds\": 1e6; seconds must be",
                "\"seconds\": 60; \"second\": 60; second",
                "\"share\": 0.9; \"share\": 0.8; shares must sum to 1",
                "\"exponential\"; \"pareto\"; distribution must be exponential, lognormal, uniform or constant, was pareto",
                "\"values\": [8]; \"values\": [0]; cores must be >= 1, was 0.0",
                "\"classes\": [0.2, 0.8]; \"classes\": [0.2, 0.9]; classes must be shares that sum to 1",
                "\"at\": [0, 20, 40]; \"at\": [0, 40, 20]; steps must be in order",
                "\"values\": [300, 1500, 300]; \"values\": [0, 0, 0]; seconds times the highest of arrivals",
                "database_slows; checkout_sale; each with a name of its own",
                "\"cpu\":; \"gpu\":; cpu must be given",
            })
    void whatIsWrongInAFileIsSaidWithItsPlace(String what, String other, String said) throws IOException {
        Path file = directory.resolve("wrong.json");
        String right = Files.readString(Path.of(EXAMPLE));
        assertTrue(right.contains(what));
        Files.writeString(file, right.replace(what, other == null ? "" : other));
        assertEquals(2, sim("--scenario-file", file.toString()));
        String message = err.toString(StandardCharsets.UTF_8);
        assertTrue(message.contains(said) && message.contains("wrong.json"), message);
    }
}
