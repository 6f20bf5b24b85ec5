package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SetsTest {
    @ParameterizedTest
    @CsvSource({
        "suite, 22",
        "services, 23",
        "mixes, 36",
        "variants, 66",
        "structures, 24",
        "fleet, 13",
        "quiet, 10",
        "starts, 20",
        "bursts, 10",
        "cliffs, 8"
    })
    void hasSoManyOfDifferentNamesAndIsTheSameAgain(String label, int count) {
        ScenarioSet set = ScenarioSet.called(label);
        List<Scenario> scenarios = set.of(5);
        assertEquals(count, scenarios.stream().map(Scenario::name).distinct().count());
        assertEquals(scenarios, set.of(5));
    }

    /* So that one CSV of several sets has one row for each scenario, seed and algorithm. */
    @Test
    void noTwoSetsHaveAScenarioOfTheSameName() {
        List<String> names = Arrays.stream(ScenarioSet.values())
                .flatMap(set -> set.of(1).stream())
                .map(Scenario::name)
                .sorted()
                .toList();
        assertEquals(names.stream().distinct().toList(), names);
    }

    @Test
    void structuresDifferByTheirSeedAndCoverWhatTheyAreDrawnOf() {
        assertNotEquals(Structures.of(1), Structures.of(2));
        List<Scenario> many = LongStream.range(1, 20)
                .boxed()
                .flatMap(seed -> Structures.of(seed).stream())
                .toList();
        long shared = many.stream().filter(s -> s.cpu().shared()).count();
        long below = many.stream().filter(s -> s.dependency() != null).count();
        long moving = many.stream().filter(Scenario::moves).count();
        long waiting = many.stream().filter(Scenario::waits).count();
        for (long each : new long[] {shared, below, moving}) {
            assertTrue(each > many.size() / 4 && each < 3 * many.size() / 4, "" + each);
        }
        assertTrue(waiting > many.size() / 20 && waiting < many.size() / 3, "" + waiting);
    }

    /* The grid goes in steps of 1.27, so a limit between two may be a little better. */
    @ParameterizedTest
    @ValueSource(strings = {"reports_1.5x", "nested_30%_1.5x", "bimodal_1.3x", "outage_5s", "slow_40s"})
    void noOtherFixedLimitDoesBetterThanTheOracle(String name) {
        Scenario scenario = Services.all(1).stream()
                .filter(s -> s.name().equals(name))
                .findFirst()
                .orElseThrow();
        Arrivals arrivals = new Arrivals(scenario, 1);
        int oracle = Oracle.goodput(scenario, arrivals);
        for (double limit = 1; limit < 4000; limit = Math.ceil(limit * 1.13)) {
            Run.Outcome outcome = new Run(scenario, arrivals, Doorman.of(new Fixed(limit)), null).outcome();
            assertTrue(outcome.goodput() <= 1.02 * oracle, limit + ": " + outcome.goodput() + " of " + oracle);
        }
    }

    @Test
    void theScenarioWithABarOfItsOwnIsThere() {
        assertTrue(Services.all(1).stream().anyMatch(s -> s.name().equals(Services.DROPPING)));
    }

    @Test
    void aFileMayHaveWhatIsNewAndNeedNot() {
        String old = """
                {"name": "a", "seconds": 10, "timeoutMillis": 100, "arrivals": {"at": [0], "values": [10]},
                 "mixes": [{"from": 0, "work": [
                   {"share": 1, "distribution": "constant", "meanMillis": 5, "sigma": 0%s}]}],
                 "cpu": {"shared": false, "cores": {"at": [0], "values": [2]}, "speed": {"at": [0], "values": [1]},
                         "sigma": 0, "kappa": 0},
                 "retries": 1, "classes": [1], "knee": {"at": [0], "values": [2]}%s}
                """;
        Scenario without = Json.read(old.formatted("", ""), Scenario.class);
        assertEquals(null, without.drops());
        Scenario with = Json.read(
                old.formatted(
                        ", \"apart\": {\"timeoutMillis\": 1000, \"waits\": true}",
                        ", \"drops\": {\"at\": [0], \"values\": [0.5]}, \"backoff\": {\"millis\": 5, \"jitter\": 1}"),
                Scenario.class);
        assertTrue(with.waits());
        assertEquals(Steps.always(0.5), with.drops());
        assertEquals(new Scenario.Backoff(5, 1), with.backoff());
    }
}
