package dev.weir.named.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.recorder.RecordedLoad.KeyShare;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What previews say of a load whose outcome is known by hand: 10 requests in each slice, each held for 5 slices. */
class PreviewerTest {
    private static final long SLICE = 10_000_000;
    private static final int SLICES = 1_000;

    private static RecordedLoad load(List<List<KeyShare>> keys, long[] limits, long refused, boolean isHeavy) {
        int[] arrivals = new int[SLICES];
        Arrays.fill(arrivals, 10);
        long[] holds = new long[SLICES];
        Arrays.fill(holds, 5 * SLICE);
        long[] refusals = new long[SLICES / 100];
        refusals[0] = refused;
        return new RecordedLoad(
                Instant.EPOCH,
                SLICE,
                arrivals,
                IntStream.range(0, SLICES).toArray(),
                holds,
                keys,
                limits,
                new long[0],
                new long[SLICES / 100],
                refusals,
                isHeavy);
    }

    private static final RecordedLoad LOAD = load(List.of(), new long[0], 0, false);

    private static LimitPlan plan(String settings) {
        return PreviewCases.plan(settings, null);
    }

    private static Preview preview(RecordedLoad load, String now, String then) {
        return Previewer.of(load, then, plan(now), PreviewCases.plan(then, plan(now)));
    }

    @Test
    void aLimitBelowTheDemandRefusesTheRest() {
        // 1,000 a second, each held for 50 ms: 50 at once
        Preview half = preview(LOAD, "concurrency: 100", "concurrency: 25");
        assertEquals(10_000, half.requests());
        assertEquals(.5, half.share(), .02);
        assertEquals(25, half.mostInFlight());
        assertEquals(25, half.limitThen());
        assertEquals(0, half.refusedAsItIs());
        assertEquals(Duration.ofSeconds(10), half.span());
        assertTrue(half.low() <= half.wouldRefuse() && half.wouldRefuse() <= half.high(), half::toString);
        assertEquals(0, preview(LOAD, "concurrency: 100", "concurrency: 60").wouldRefuse());
    }

    @Test
    void aQueueLetsRequestsWait() {
        Preview waits = preview(LOAD, "concurrency: 100", "{concurrency: 25, queue: {capacity: 50, max-wait: 1s}}");
        assertEquals(.5, waits.share(), .02);
        // 50 wait before 500 grants a second
        assertEquals(100, waits.waitP50().toMillis(), 10);
        assertTrue(waits.waitP99().compareTo(waits.waitP50()) >= 0);
    }

    @Test
    void aRateIsReplayedAndHoldsNothing() {
        Preview rate = preview(LOAD, "rate: 2000/s", "rate: 800/s");
        // 10 s at 800, and a burst of 800 that was full
        assertEquals(.12, rate.share(), .001);
        assertEquals(0, rate.mostInFlight());
        assertEquals(
                List.of(),
                rate.unsure().stream()
                        .filter(doubt -> !doubt.startsWith("the rate refills"))
                        .toList());
    }

    @Test
    void theSameSettingsRefuseTheSame() {
        RecordedLoad refusing = load(List.of(), new long[0], 5_000, false);
        Preview same = preview(refusing, "concurrency: 25", "concurrency: 25");
        assertEquals(same.refusedAsItIs(), same.wouldRefuse(), 100);
        assertEquals(List.of(), same.unsure());
    }

    @Test
    void aDryRunWouldRefuseAsMuch() {
        Preview half = preview(LOAD, "concurrency: 100", "concurrency: 25");
        Preview dry = preview(LOAD, "concurrency: 100", "{concurrency: 25, enforce: 0}");
        assertEquals(half.wouldRefuse(), dry.wouldRefuse());
        assertEquals(half.unsure(), dry.unsure());
    }

    @Test
    void oneLineSaysIt() {
        Preview preview = new Preview(
                "api",
                "concurrency: 40",
                "",
                "",
                Instant.EPOCH,
                Duration.ofMinutes(5),
                18_204,
                0,
                0,
                312,
                300,
                330,
                Duration.ZERO,
                Duration.ofNanos(34_600_000),
                40,
                40,
                List.of());
        assertEquals(
                "at concurrency: 40 you would have refused 312 of 18,204 (1.7 %), p99 wait 35 ms", preview.toString());
        Preview unsure = new Preview(
                "api",
                "rate: 1/s",
                "",
                "",
                Instant.EPOCH,
                Duration.ZERO,
                0,
                0,
                0,
                0,
                0,
                0,
                Duration.ZERO,
                Duration.ZERO,
                0,
                1,
                List.of("a", "b"));
        assertEquals("at rate: 1/s you would have refused 0 of 0 (0.0 %), unsure: a; b", unsure.toString());
    }

    @Test
    void anInterruptEndsIt() {
        Thread.currentThread().interrupt();
        assertThrows(CancellationException.class, () -> preview(LOAD, "concurrency: 100", "concurrency: 25"));
        assertTrue(Thread.interrupted());
    }

    @Test
    void onlyTheNewestMillionIsReplayed() {
        int[] arrivals = new int[400];
        Arrays.fill(arrivals, 4_000);
        long[] refused = {100, 0, 7, 0};
        RecordedLoad large = new RecordedLoad(
                Instant.EPOCH,
                SLICE,
                arrivals,
                new int[] {0, 199, 200, 399},
                new long[] {1, 2, 3, 4},
                List.of(),
                new long[] {1, 2, 3, 4},
                new long[0],
                new long[4],
                refused,
                false);
        RecordedLoad newest = large.newest(Previewer.MOST);
        assertEquals(Instant.ofEpochSecond(2), newest.from());
        assertEquals(800_000, newest.requests());
        assertEquals(7, newest.refusedThen());
        assertEquals(List.of(0, 199), IntStream.of(newest.holdSlices()).boxed().toList());
        assertEquals(3, newest.holdNanos()[0]);
        assertEquals(3, newest.limits()[0]);
        assertEquals(large, large.newest(1_600_000));
    }

    private static void isUnsure(Preview preview, String reason) {
        assertTrue(preview.unsure().stream().anyMatch(doubt -> doubt.contains(reason)), preview::toString);
    }

    @Test
    void aReplayThatDoesNotRefuseWhatWasRefusedIsUnsure() {
        RecordedLoad other = load(List.of(), new long[0], 1_000, false);
        isUnsure(
                preview(other, "concurrency: 100", "concurrency: 25"),
                "a replay of the settings in force refuses 0 requests, and 1,000 were refused");
    }

    @Test
    void aLimitThatMovedIsReplayedAsItMoved() {
        long[] limits = new long[SLICES / 100];
        Arrays.fill(limits, 25);
        RecordedLoad moved = load(List.of(), limits, 5_000, false);
        Preview preview = preview(moved, "{concurrency: 100, adaptive: {min: 10, max: 200}}", "concurrency: 30");
        assertEquals(5_000, preview.refusedAsItIs(), 500);
    }

    @Test
    void aLimitThatMovesIsUnsureIfItsBoundsMatter() {
        String now = "{concurrency: 100, adaptive: {min: 80, max: 200}, queue: null}";
        isUnsure(preview(LOAD, now, "adaptive: {min: 20}"), "the limit is adapted: between its bounds 20 and 200");
        assertEquals(List.of(), preview(LOAD, now, "adaptive: {min: 90}").unsure());
    }

    @Test
    void whatIsNotRecordedIsUnsure() {
        RecordedLoad heavy = load(List.of(), new long[0], 0, true);
        isUnsure(preview(heavy, "concurrency: 100", "concurrency: 80"), "several permits");
        RecordedLoad few = new RecordedLoad(
                Instant.EPOCH,
                SLICE,
                new int[] {9},
                new int[0],
                new long[0],
                List.of(),
                new long[0],
                new long[0],
                new long[0],
                new long[0],
                false);
        isUnsure(preview(few, "concurrency: 100", "concurrency: 80"), "only 9 requests");
        isUnsure(preview(few, "concurrency: 100", "concurrency: 80"), "only 0 hold times");
        isUnsure(preview(LOAD, "rate: 2000/s", "rate: 3000/h"), "the rate refills within 3,600 s");
        isUnsure(preview(LOAD, "rate: 2000/s", "{warm-up: {period: 1m}, rate: 2000/s}"), "warms up for 60 s");
        RecordedLoad slow = LOAD.holding(100);
        isUnsure(preview(slow, "concurrency: 100", "concurrency: 80"), "held for up to 5 s");
        isUnsure(
                Previewer.of(
                        LOAD,
                        "",
                        plan("concurrency: 100"),
                        LimitPlan.of("api", new Partitioned(80, Map.of("a", 50), 50))),
                "share by key");
        isUnsure(
                Previewer.of(
                        LOAD, "", plan("concurrency: 100"), LimitPlan.of("api", new PriorityShedding(80, List.of()))),
                "priorities");
    }

    @Test
    void theHeaviestKeysAreReplayedAndTheOthersAreUnsure() {
        List<KeyShare> second = List.of(new KeyShare("hot", 750), new KeyShare("b", 250));
        RecordedLoad byKey = load(Collections.nCopies(SLICES / 100, second), new long[0], 0, false);
        String now = "{rate: 900/s, key: client, hot-keys: true}";
        Preview preview = preview(byKey, now, "{rate: 500/s, burst: 10}");
        assertEquals(.25, preview.share(), .01);
        isUnsure(preview(LOAD, now, "rate: 500/s"), "keys are not recorded; hot-keys: true records them");
        isUnsure(preview(byKey, now, "key: user"), "by other names");
        List<KeyShare> half = List.of(new KeyShare("hot", 500));
        RecordedLoad tail = load(Collections.nCopies(SLICES / 100, half), new long[0], 0, false);
        isUnsure(preview(tail, now, "rate: 400/s"), "50 % of the requests have other keys");
        assertFalse(preview(byKey, now, "{key: null, hot-keys: null, rate: 900/s}").unsure().stream()
                .anyMatch(doubt -> doubt.contains("keys")));
    }
}
