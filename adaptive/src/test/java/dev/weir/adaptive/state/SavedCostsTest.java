package dev.weir.adaptive.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.LearnedCost;
import dev.weir.adaptive.RestoredState;
import dev.weir.adaptive.SavedState;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Learned costs over a restart. */
class SavedCostsTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @TempDir
    Path dir;

    private final List<SavedStateReport> reports = new ArrayList<>();

    private SavedStateFile open(Duration later) {
        return SavedStateFile.at(dir.resolve("state"))
                .clock(Clock.fixed(NOON.plus(later), ZoneOffset.UTC))
                .reportingTo(reports::add)
                .open();
    }

    private static LearnedCost costs(SavedState state) {
        return LearnedCost.builder("tokens", 7).classes(2).restoring(state).build();
    }

    private static void settle(LearnedCost costs, Object calls, long actual) {
        for (int i = 0; i < 200; i++) {
            costs.settled(calls, actual);
        }
    }

    private void left() {
        SavedStateFile state = open(Duration.ZERO);
        LearnedCost before = costs(state);
        settle(before, "gpt large", 5000);
        settle(before, 4, 300);
        settle(before, "other", 40);
        state.include(Limiters.of("tokens", new Semaphore(3)));
        assertTrue(state.save());
    }

    @Test
    void costsAreRestoredByTheTextOfTheirClass() {
        left();
        LearnedCost after = costs(open(Duration.ofSeconds(5)));
        assertEquals(5000, after.estimate("gpt large"), 1);
        assertEquals(5000, after.high("gpt large"), 350);
        assertEquals(300, after.estimate("4"), 1);
        assertEquals(40, after.estimate("a third"), 1);
        assertEquals(3, open(Duration.ZERO).restored("tokens").orElseThrow().limit(), "the limiter of this name too");
    }

    /** Of two places, both are in use: what was restored and never asked for again must not take them at the next start. */
    @Test
    void classesInUseAreSavedBeforeThoseOfLongAgo() {
        SavedStateFile first = open(Duration.ZERO);
        LearnedCost longAgo = costs(first);
        settle(longAgo, "a", 1000);
        settle(longAgo, "b", 2000);
        assertTrue(first.save());
        SavedStateFile second = open(Duration.ofSeconds(5));
        LearnedCost before = costs(second);
        settle(before, "c", 3000);
        settle(before, "d", 4000);
        assertTrue(second.save());
        LearnedCost after = costs(open(Duration.ofSeconds(10)));
        assertEquals(3000, after.estimate("c"), 1);
        assertEquals(4000, after.estimate("d"), 1);
    }

    @Test
    void costsThatNobodyAskedForAreSavedAgain() {
        left();
        SavedStateFile second = open(Duration.ofSeconds(5));
        Map<String, Double> learned = costs(second).learned();
        assertEquals(9, learned.size());
        assertTrue(second.save());
        assertEquals(learned, costs(open(Duration.ofSeconds(5))).learned());
    }

    @Test
    void withTimeTheyWeighNoMoreThanAFirstEstimate() {
        left();
        LearnedCost soon = costs(open(Duration.ofSeconds(1)));
        soon.settled("gpt large", 0);
        assertEquals(4795, soon.estimate("gpt large"), 10, "23 of 24");
        LearnedCost late = costs(open(Duration.ofHours(4)));
        assertEquals(5000, late.estimate("gpt large"), 1);
        late.settled("gpt large", 0);
        assertEquals(2446, late.estimate("gpt large"), 10, "23 of 47");
        assertEquals(5000, costs(open(Duration.ofDays(3))).estimate("gpt large"), "no worse than nothing");
    }

    @Test
    void aDamagedFileIsReportedAndTheFirstEstimateHolds() throws Exception {
        left();
        Path file = dir.resolve("state");
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        assertEquals(7, costs(open(Duration.ZERO)).estimate("gpt large"));
        assertEquals(
                SavedStateReport.Event.DAMAGED, reports.get(reports.size() - 1).event());
    }

    /* Any numbers under any of the names that are saved: a store of somebody else may return them. */
    @Test
    void whateverIsRestoredNothingIsLearnedThatIsNoCost() {
        double[] values = {
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            -1,
            -0.0,
            0,
            0.3,
            40,
            1e18,
            1e300,
            Double.MIN_VALUE
        };
        List<String> names =
                List.of("mean.a", "high.a", "weight.a", "mean.", "high.", "weight.", "mean.b", "mean", "x");
        SplittableRandom random = new SplittableRandom(3);
        for (int run = 0; run < 5000; run++) {
            Map<String, Double> learned = new HashMap<>();
            names.forEach(name -> learned.put(name, values[random.nextInt(values.length)]));
            learned.remove(names.get(random.nextInt(names.size())));
            double trust = values[random.nextInt(values.length)];
            LearnedCost costs =
                    costs(returning(new RestoredState("costs of tokens", 1, learned, 0, Duration.ZERO, trust)));
            for (String calls : List.of("a", "b", "c")) {
                assertTrue(costs.estimate(calls) >= 1 && costs.high(calls) >= 1, () -> learned + " " + calls);
                for (int i = 0; i < 2000; i++) {
                    costs.settled(calls, 100);
                }
                assertEquals(100, costs.high(calls), 7, () -> learned + " " + calls);
            }
        }
    }

    private static SavedState returning(RestoredState state) {
        return new SavedState() {
            @Override
            public Optional<RestoredState> restored(String name) {
                return Optional.of(state);
            }

            @Override
            public void include(AdaptiveControl control) {}

            @Override
            public void include(LearnedCost costs) {}
        };
    }

    @Test
    void noMoreClassesAreRestoredThanFit() {
        Map<String, Double> learned = new HashMap<>();
        for (int i = 0; i < 50; i++) {
            learned.putAll(Map.of("mean.m" + i, 90.0, "high.m" + i, 90.0, "weight.m" + i, 9.0));
        }
        LearnedCost costs = costs(returning(new RestoredState("costs of tokens", 1, learned, 0, Duration.ZERO, 1)));
        assertEquals(3 * 3, costs.learned().size());
        assertEquals(7, costs.estimate("m30"), "not one of the two");
        assertEquals(90, costs.estimate("m0"));
        assertEquals(3 * 3, costs.learned().size(), "the other one of the two has no place any more");
    }
}
