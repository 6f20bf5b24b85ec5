package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.queue.Prediction.Ended;
import dev.weir.queue.Prediction.Load;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Who is refused because it would time out, and would not have. The golden report shows a change of the prediction as a
 * change of outcomes; {@code -Dweir.rewrite=true} writes it anew.
 */
@Tag("golden")
class PredictionTest {
    private static final Path REPORT = Path.of("src/test/resources/prediction.md");
    private static final QueueSpec WAITS = QueueSpec.of(100_000);
    private static final QueueSpec PREDICTIVE = WAITS.refusingDoomed();

    private static final List<Load> STEADY = List.of(
            new Load("Pareto, load 0.8", 0.8, Prediction.PARETO, 10_000, at -> at),
            new Load("exponential, load 0.8", 0.8, Prediction.EXPONENTIAL, 10_000, at -> at),
            new Load(
                    "exponential, load 0.8, stalls for 0.9 s every 10 s", 0.8, Prediction.EXPONENTIAL, 10_000, stall()),
            new Load("Pareto, load 0.8, stalls for 0.9 s every 10 s", 0.8, Prediction.PARETO, 10_000, stall()));

    private static final List<Load> OVER = List.of(
            new Load("exponential, load 0.95", 0.95, Prediction.EXPONENTIAL, 10_000, at -> at),
            new Load("Pareto, load 0.95", 0.95, Prediction.PARETO, 10_000, at -> at),
            new Load("constant, load 2", 2, Prediction.CONSTANT, 10_000, at -> at),
            new Load("exponential, load 2", 2, Prediction.EXPONENTIAL, 10_000, at -> at),
            new Load("Pareto, load 2", 2, Prediction.PARETO, 10_000, at -> at));

    private static final String HEADER = String.join(
            "\n",
            "# Refused at once because they would time out",
            "",
            "A server for 4 at once, 100 ms of work on average, 10,000 requests at random, each of which waits 1 s at most.",
            "Wrongly: refused at once, though without a prediction the same request was granted in time.",
            "",
            "| load | timed out, not predictive | refused at once, predictive | timed out | of those refused, wrongly |",
            "|---|---|---|---|---|",
            "");

    /** Nothing that begins in the first 0.9 s of every 10 is worked on until they are over. */
    private static LongUnaryOperator stall() {
        long every = 10 * Prediction.SECOND;
        return at -> at % every < every * 9 / 100 ? at - at % every + every * 9 / 100 : at;
    }

    private static BitSet wrongly(Ended waiting, Ended predictive) {
        BitSet wrongly = (BitSet) predictive.atOnce().clone();
        wrongly.and(waiting.granted());
        return wrongly;
    }

    private static String row(Load load) {
        Ended waiting = Prediction.run(load, WAITS);
        Ended predictive = Prediction.run(load, PREDICTIVE);
        assertEquals(0, waiting.atOnce().cardinality(), "no prediction unless configured");
        return String.format(
                "| %s | %d | %d | %d | %d |",
                load.name(),
                waiting.timedOut().cardinality(),
                predictive.atOnce().cardinality(),
                predictive.timedOut().cardinality(),
                wrongly(waiting, predictive).cardinality());
    }

    @Test
    void theReportIsAsItWas() throws IOException {
        String rows = Stream.concat(STEADY.stream(), OVER.stream())
                .map(PredictionTest::row)
                .collect(Collectors.joining("\n"));
        String report = HEADER + rows + "\n";
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.writeString(REPORT, report);
        }
        assertEquals(Files.readString(REPORT).replace("\r\n", "\n"), report);
    }

    @Test
    void underABearableLoadAtMostOneInAThousandIsRefusedWrongly() {
        for (Load load : STEADY) {
            int wrongly = wrongly(Prediction.run(load, WAITS), Prediction.run(load, PREDICTIVE))
                    .cardinality();
            assertTrue(wrongly <= load.requests() / 1_000, () -> load.name() + ": " + wrongly);
        }
    }
}
