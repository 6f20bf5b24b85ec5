package dev.weir.benchmarks.sim;

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
                        new Result("over", 1, "weir", 0.98, 1, 1),
                        new Result("tiny", 1, "weir", 0.96, 4, 1),
                        new Result("over", 1, "weir+queue", 0.89, 9, 1),
                        new Result("over", 1, "Envoy", 0.81, 1, 1),
                        new Result("tiny", 1, "Envoy", 1, 1, 1),
                        new Result("over", 1, "AIMD", 0.88, 1, 1)));
        assertEquals(
                """
                weir: GM goodput | >= 0.9750 | 0.9699 | MISSED
                weir: worst goodput | >= 0.8900 | 0.9600 | met
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
                        new Result("outage", 1, "weir@1", 0.98, 1, 1, 0, Double.NaN, 2),
                        new Result("outage", 2, "weir@1", 0.98, 1, 1, 0, Double.NaN, 4),
                        new Result("outage", 1, "weir@200", 0.98, 1, 1, 0, Double.NaN, 3)));
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
                        new Result("wait_load_0.6", 1, "weir", 1, 1, 1, 0.02, 1, Double.NaN),
                        new Result("work_load_0.6", 1, "weir", 1, 1, 1, 0.01, Double.NaN, Double.NaN),
                        new Result("wait_load_2", 1, "weir", 1, 1, 1, 0.5, 0.91, Double.NaN),
                        new Result("work_load_2", 1, "weir", 1, 1, 1, 0.5, Double.NaN, Double.NaN)));
        assertEquals(
                List.of("0.0200", "0.9100", "1.0000", "1.0000"),
                mixes.lines().skip(2).map(row -> row.split(" *\\| *")[3]).toList(),
                mixes);
    }

    /* Of 66 the fourth, of 20 the first. */
    @Test
    void theFifthPercentileIsThatOfTheNearestRank() {
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < 66; i++) {
            results.add(new Result("v" + i, 1, "weir", i < 3 ? 0.5 : 0.93 + i / 1000.0, 1, 1));
        }
        for (int i = 0; i < 20; i++) {
            results.add(new Result("v" + i, 1, "weir+queue", 0.9 + i / 100.0, 1, 1));
        }
        List<String> rows =
                Bars.of(ScenarioSet.VARIANTS, results).lines().skip(2).toList();
        assertEquals(4, rows.size());
        assertEquals("0.9330", rows.get(1).split(" *\\| *")[3]);
        assertEquals("0.9000", rows.get(3).split(" *\\| *")[3]);
    }
}
