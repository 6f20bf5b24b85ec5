package dev.weir.benchmarks.sim;

import static dev.weir.benchmarks.sim.Results.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final Report REPORT = new Report(List.of(
            result("over", 1, "A", 0.25, 2, 1),
            result("over", 1, "B", 1, 1, 1),
            result("over", 2, "A", 1, 8, 4),
            result("tiny", 1, "A", 0.5, 4, 2),
            result("tiny", 1, "B", 0, Double.NaN, Double.NaN)));

    /* over by A: sqrt(.25 x 1) = .5, sqrt(2 x 8) = 4. GM of A: cbrt(.125) = .5; p99 cbrt(64) = 4; p50 cbrt(8) = 2. */
    @Test
    void tablesAreMarkdownWithGeometricMeans() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertEquals("""
                    ## Goodput to the oracle's

                    | scenario | A     | B     |
                    | -------- | ----- | ----- |
                    | over     | 0.500 | 1.000 |
                    | tiny     | 0.500 | 0.000 |

                    ## p99 of what was admitted to p99 alone

                    | scenario | A     | B     |
                    | -------- | ----- | ----- |
                    | over     | 4.000 | 1.000 |
                    | tiny     | 4.000 | -     |

                    ## Score

                    | algorithm | GM goodput | worst | worst scenario | 2nd worst  | GM p99 ratio | max p99 ratio | GM p50 ratio |
                    | --------- | ---------- | ----- | -------------- | ---------- | ------------ | ------------- | ------------ |
                    | A         | 0.500      | 0.250 | over           | tiny 0.500 | 4.000        | 8.000         | 2.000        |
                    | B         | 0.000      | 0.000 | tiny           | over 1.000 | 1.000        | 1.000         | 1.000        |
                    """, REPORT.markdown());
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void jsonHasAnObjectALine() {
        assertEquals(
                """
                [
                {"scenario": "over", "seed": 1, "algorithm": "A", "goodput_ratio": 0.250000, "p99_ratio": 2.000000},
                {"scenario": "tiny", "seed": 1, "algorithm": "B", "goodput_ratio": 0.000000, "p99_ratio": null}
                ]
                """,
                new Report(List.of(
                                result("over", 1, "A", 0.25, 2, 1), result("tiny", 1, "B", 0, Double.NaN, Double.NaN)))
                        .json());
    }

    @Test
    void csvHasAHeadAndLeavesOutWhatIsNotKnown() {
        assertEquals(
                """
                scenario,seed,algorithm,goodput_ratio,p99_ratio,p50_ratio,refused_share,short_goodput_ratio,recovery_seconds,in_flight_to_knee,drift,moves_per_minute
                "a,""b""\",1,A,0.250000,2.000000,1.000000,0.100000,0.900000,2.500000,3.500000,1.000000,12.000000
                tiny,1,B,0.000000,,,0.000000,,,,,
                """,
                new Report(List.of(
                                new Result("a,\"b\"", 1, "A", 0.25, 2, 1, 0.1, 0.9, 2.5, new Steadiness(3.5, 1, 12)),
                                result("tiny", 1, "B", 0, Double.NaN, Double.NaN)))
                        .csv());
    }

    @Test
    void whatLongCallsCostIsToldWhereThereAreSome() {
        Result result = result("polls", 1, "A", 1, 1, 1, 0.25, 0.5, Double.NaN);
        String tables = new Report(List.of(result)).markdown();
        assertTrue(tables.contains("## Refused share of the attempts"), tables);
        assertTrue(tables.contains("| polls    | 0.250 |") && tables.contains("| polls    | 0.500 |"), tables);
    }

    @Test
    void theSteadinessOfAFleetIsTold() {
        Steadiness steadiness = new Steadiness(3.5, 1.25, 12);
        Result result = new Result("alike_8", 1, "A", 1, 1, 1, 0.25, Double.NaN, Double.NaN, steadiness);
        String tables = new Report(List.of(result)).markdown();
        for (String row : List.of("| alike_8  | 3.500 |", "| alike_8  | 1.250 |", "| alike_8  | 12.000 |")) {
            assertTrue(tables.contains(row), tables);
        }
    }

    @Test
    void aGoodputMustBeANumber() {
        assertThrows(IllegalArgumentException.class, () -> result("over", 1, "A", Double.NaN, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> result("over", 1, "A", -0.1, 1, 1));
    }
}
