package dev.weir.benchmarks.sim;

import static dev.weir.benchmarks.sim.Results.result;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class BarsTest {
    /* GM of weir: sqrt(.98 x .96) = .96995, p99 sqrt(1 x 4) = 2. Envoy: sqrt(.81) = .9. */
    @Test
    void eachBarIsMetOrMissed() {
        String bars = Bars.of(
                ScenarioSet.SUITE,
                List.of(
                        result("over", 1, "weir", 0.98, 1, 1),
                        result("tiny", 1, "weir", 0.96, 4, 1),
                        result("over", 1, "weir+queue", 0.89, 9, 1),
                        result("over", 1, "Envoy", 0.81, 1, 1),
                        result("tiny", 1, "Envoy", 1, 1, 1),
                        result("over", 1, "AIMD", 0.88, 1, 1)),
                Weir.CLOCKS);
        assertEquals(
                """
                weir: GM goodput | >= 0.9550 | 0.9699 | met
                weir: worst goodput | >= 0.8500 | 0.9600 | met
                weir: GM p99 ratio | <= 2.0000 | 2.0000 | met
                weir+queue: GM goodput | >= 0.9750 | 0.8900 | MISSED
                weir+queue: worst goodput | >= 0.9000 | 0.8900 | MISSED
                weir: GM goodput ahead of the best peer's, Envoy | > 0.9000 | 0.9699 | met
                weir: worst goodput ahead of the best peer's, AIMD | > 0.8800 | 0.9600 | met
                weir+queue: GM goodput ahead of the best peer's, Envoy | > 0.9000 | 0.8900 | MISSED
                weir+queue: worst goodput ahead of the best peer's, AIMD | > 0.8800 | 0.8900 | met
                """,
                bars.lines()
                        .skip(2)
                        .map(row -> row.replaceAll(" *\\| *", " | ").replaceAll("^ \\| | \\| $", "") + "\n")
                        .collect(Collectors.joining()));
    }

    @Test
    void eachFirstLimitIsJudgedByItselfAndEachRecovery() {
        String services = Bars.of(
                ScenarioSet.SERVICES,
                List.of(
                        result("outage", 1, "weir@1", 0.98, 1, 1, 0, Double.NaN, 2),
                        result("outage", 2, "weir@1", 0.98, 1, 1, 0, Double.NaN, 4),
                        result("outage", 1, "weir@200", 0.98, 1, 1, 0, Double.NaN, 3)),
                Weir.CLOCKS);
        assertEquals(
                List.of("MISSED", "met"),
                services.lines()
                        .filter(row -> row.contains("seconds to recover, outage"))
                        .map(row -> row.split(" *\\| *")[4])
                        .toList(),
                services);
    }

    @Test
    void mixesAreJudgedByTheirRejectionsAndTheirShortCalls() {
        String mixes = Bars.of(
                ScenarioSet.MIXES,
                List.of(
                        result("wait_load_0.6", 1, "weir", 1, 1, 1, 0.02, 1, Double.NaN),
                        result("work_load_0.6", 1, "weir", 1, 1, 1, 0.01, Double.NaN, Double.NaN),
                        result("wait_load_2", 1, "weir", 1, 1, 1, 0.5, 0.91, Double.NaN),
                        result("work_load_2", 1, "weir", 1, 1, 1, 0.5, Double.NaN, Double.NaN)),
                Weir.CLOCKS);
        assertEquals(
                List.of("0.0200", "0.9100", "1.0000", "1.0000"),
                mixes.lines().skip(2).map(row -> row.split(" *\\| *")[3]).toList(),
                mixes);
    }

    private static Result steady(String algorithm, double goodput, double inFlight) {
        return new Result(
                "alike_8", 1, algorithm, goodput, 1, 1, 0, Double.NaN, Double.NaN, new Steadiness(inFlight, 1, 0));
    }

    private static List<String> rows(ScenarioSet set, long clocks, Result... results) {
        return Bars.of(set, List.of(results), clocks)
                .lines()
                .skip(2)
                .map(row -> row.replaceAll(" *\\| *", " | ").replaceAll("^ \\| | \\| $", ""))
                .toList();
    }

    @Test
    void aFleetIsJudgedByWhatIsInFlightAndLessStrictlyIfClocksAreWrong() {
        Result[] results = {steady("weir", 0.96, 7.01), steady("weir", 0.94, 2), steady("Vegas", 0.1, 90)};
        assertEquals(
                List.of(
                        "weir: GM goodput | >= 0.9500 | 0.9499 | MISSED",
                        "weir: worst goodput | >= 0.7000 | 0.9400 | met",
                        "weir: in flight in the last half to the knee, the most | <= 7.0000 | 7.0100 | MISSED"),
                rows(ScenarioSet.FLEET, 50, results));
        assertEquals(
                List.of("weir: GM goodput, clocks wrong by up to 500 ms | >= 0.9000 | 0.9499 | met"),
                rows(ScenarioSet.FLEET, 500, results));
        assertEquals(List.of(), rows(ScenarioSet.FLEET, 501, results));
    }

    @Test
    void theOnlyLimitHasBarsOfItsOwnAndSoHasTheSlowDependency() {
        assertEquals(
                List.of(
                        "weir: GM goodput | >= 0.9550 | 0.9499 | MISSED",
                        "weir: worst goodput | >= 0.8500 | 0.9400 | met",
                        "weir: dep_slow_10x, the least | >= 0.9500 | 0.9400 | MISSED",
                        "weir-alone: GM goodput | >= 0.9780 | 0.9770 | MISSED",
                        "weir-alone: worst goodput | >= 0.9100 | 0.9770 | met",
                        "weir: GM p99 ratio | <= 2.0000 | 1.0000 | met"),
                rows(
                        ScenarioSet.SUITE,
                        50,
                        result("dep_slow_10x", 1, "weir", 0.94, 1, 1),
                        result("tiny", 1, "weir", 0.96, 1, 1),
                        result("tiny", 1, "weir-alone", 0.977, 1, 1)));
    }

    @Test
    void burstsAreJudgedBehindTheQueueAndQuietLoadsByWhatIsRefused() {
        assertEquals(
                List.of(
                        "weir+queue: GM goodput | >= 0.9000 | 0.9391 | met",
                        "weir+queue: worst goodput | - | 0.9000 | -"),
                rows(
                        ScenarioSet.BURSTS,
                        50,
                        result("cron_1", 1, "weir", 0.1, 1, 1),
                        result("cron_1", 1, "weir+queue", 0.9, 1, 1),
                        result("cron_2", 1, "weir+queue", 0.98, 1, 1)));
        assertEquals(
                List.of(
                        "weir: GM goodput | >= 0.9980 | 0.9990 | met",
                        "weir: refused, at_0.7x, the most | <= 0.0010 | 0.0020 | MISSED"),
                rows(
                        ScenarioSet.QUIET,
                        50,
                        result("quiet_1_at_0.7x", 1, "weir", 0.999, 1, 1, 0.002, Double.NaN, Double.NaN),
                        result("quiet_4_at_0.9x", 1, "weir", 0.999, 1, 1, 0.1, Double.NaN, Double.NaN)));
    }

    /* Of 66 the fourth, of 20 the first. */
    @Test
    void theFifthPercentileIsThatOfTheNearestRank() {
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < 66; i++) {
            results.add(result("v" + i, 1, "weir", i < 3 ? 0.5 : 0.93 + i / 1000.0, 1, 1));
        }
        for (int i = 0; i < 20; i++) {
            results.add(result("v" + i, 1, "weir+queue", 0.9 + i / 100.0, 1, 1));
        }
        List<String> rows = Bars.of(ScenarioSet.VARIANTS, results, Weir.CLOCKS)
                .lines()
                .skip(2)
                .toList();
        assertEquals(4, rows.size());
        assertEquals("0.9330", rows.get(1).split(" *\\| *")[3]);
        assertEquals("0.9000", rows.get(3).split(" *\\| *")[3]);
    }
}
