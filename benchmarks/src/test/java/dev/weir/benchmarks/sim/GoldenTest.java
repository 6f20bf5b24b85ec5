package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The default controller in all scenarios, to the last request: a change of it shows as a change of outcomes, and it is
 * the same on every machine. {@code -Dweir.rewrite=true} writes the report anew.
 */
@Tag("golden")
class GoldenTest {
    private static final Path REPORT = Path.of("src/test/resources/sim.md");
    private static final long SEED = 1;

    @Test
    void theReportIsAsItWas() throws IOException {
        Table table = new Table(
                List.of("scenario", "algorithm", "offered", "goodput", "late", "refused", "p99 ms", "final limit"));
        Scenarios.all(SEED).parallelStream().map(GoldenTest::rows).toList().forEach(rows -> rows.forEach(table::row));
        String report = "# The default controller in the scenarios of seed 1\n\n" + table;
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.writeString(REPORT, report);
        }
        assertEquals(Files.readString(REPORT).replace("\r\n", "\n"), report);
    }

    private static List<List<String>> rows(Scenario scenario) {
        Arrivals arrivals = new Arrivals(scenario, SEED);
        return Contender.OURS.stream()
                .map(ours -> row(scenario, arrivals, ours))
                .toList();
    }

    private static List<String> row(Scenario scenario, Arrivals arrivals, Contender ours) {
        Doorman doorman = ours.made().apply(scenario, SEED);
        Run.Outcome outcome = new Run(scenario, arrivals, doorman, null).outcome();
        return List.of(
                scenario.name(),
                ours.name(),
                "" + arrivals.count,
                "" + outcome.goodput(),
                "" + outcome.late(),
                "" + outcome.refused(),
                BigDecimal.valueOf((long) outcome.p99(), 6)
                        .setScale(2, RoundingMode.HALF_UP)
                        .toString(),
                "" + (long) doorman.limit());
    }
}
