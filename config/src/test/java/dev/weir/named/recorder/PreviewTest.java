package dev.weir.named.recorder;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.recorder.PreviewCases.Load;
import dev.weir.named.recorder.Trace.Arrival;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Previews of a registry, by what its recorder has. */
class PreviewTest extends RecorderFixture {
    private static final double TOLERATED = .02;

    /* Each run has other samples: this is some five times their usual error. */
    private static final double BY_CHANCE = .03;

    private final NamedLimiter api = limits.names().limiter("api", new Semaphore(100), Caps.concurrency(200));

    /** The preview of the registry, whose recorder has a thread of its own. */
    private Preview preview(String entry) {
        return limits.preview("api", entry);
    }

    /* 60 come every 10 ms and leave after 40 ms: 240 at once. */
    private void recorded(int slices) {
        for (int i = 0; i < slices; i++) {
            for (int request = 0; request < 60; request++) {
                if (api.tryAcquire() instanceof Permit permit) {
                    time.alarm(4 * SLICE.toNanos(), () -> permit.release(Outcome.SUCCESS));
                }
            }
            time.advance(SLICE);
        }
        await().until(() -> limits.names().recorder().seconds("api").size() >= slices / 100);
    }

    @Test
    void aRegistryPreviewsAnOverrideAndChangesNothing() {
        Registration recording = limits.names().recorder().record();
        recorded(300);
        Preview preview = preview("concurrency: 60");
        assertEquals("api", preview.name());
        assertEquals("concurrency: 60", preview.change());
        assertEquals("limit Semaphore[limit=100]", preview.settingsNow());
        assertEquals("concurrency 60", preview.settingsThen());
        assertEquals(18_000, preview.requests());
        assertEquals(.75, preview.share(), TOLERATED);
        assertEquals(60, preview.limitThen());
        assertEquals(100, api.snapshot().limit());
        assertTrue(preview.toString().startsWith("at concurrency: 60 you would have refused "), preview::toString);
        recording.close();
    }

    @Test
    void anOverrideIsReplacedInAPreview() {
        Registration recording = limits.names().recorder().record();
        recorded(100);
        Registration unused = set("api", "{concurrency: 50, queue: {capacity: 7, max-wait: 1s}}");
        assertEquals(
                "concurrency 50, queue.capacity 7, queue.max-wait 1s",
                preview("concurrency: 70").settingsNow());
        assertEquals("concurrency 70", preview("concurrency: 70").settingsThen());
        recording.close();
    }

    private static String message(Class<? extends RuntimeException> type, Runnable call) {
        return String.valueOf(assertThrows(type, call::run).getMessage());
    }

    @Test
    void aPreviewIsRefusedAsTheOverrideWouldBe() {
        for (String wrong : List.of("concurrency: many", "concurrency: 300", "conc: 3", "")) {
            String refused = message(IllegalArgumentException.class, () -> set("api", wrong));
            String previewed = message(IllegalArgumentException.class, () -> preview(wrong));
            assertEquals(refused.replace("[override", "[preview"), previewed.replace("[override", "[preview"));
        }
        assertThrows(IllegalArgumentException.class, () -> limits.preview("unknown", "concurrency: 3"));
    }

    @Test
    void nothingIsPreviewedOfWhatIsNotRecorded() {
        assertEquals(
                "nothing is recorded of the limit api: nobody has called record()",
                message(IllegalStateException.class, () -> preview("concurrency: 3")));
        limits.close();
        assertEquals(
                "limit api must be counted in this process",
                message(IllegalStateException.class, () -> preview("concurrency: 3")));
    }

    private static void isRightOrUnsure(RecordedLoad recorded, LimitPlan now, Trace trace, String change) {
        LimitPlan then = PreviewCases.plan(change, now);
        Preview preview = Previewer.of(recorded, change, now, then);
        double truth =
                LiveLimit.refused(then, trace) / (double) trace.arrivals().size();
        assertTrue(
                Math.abs(preview.share() - truth) <= BY_CHANCE
                        || !preview.unsure().isEmpty(),
                () -> preview + " where the truth is " + truth);
    }

    @Test
    void whatARecorderSamplesByChanceIsEnough() {
        for (Load load : List.of(PreviewCases.steady(1), PreviewCases.bursts(3), PreviewCases.queue(2))) {
            RecordedLoad recorded = LiveLimit.recordedByChance(load.plan(), load.trace());
            RecordedLoad seeded = LiveLimit.recorded(load.plan(), load.trace());
            assertEquals(1, (double) seeded.holdNanos().length / recorded.holdNanos().length, .15);
            load.changes().forEach(change -> isRightOrUnsure(recorded, load.plan(), load.trace(), change));
        }
    }

    @Test
    void theKeysThatARegistryRecordsAreEnough() {
        Load load = PreviewCases.hotKey(2);
        NamedLimiter clients = limits.limiter("clients", new Semaphore(1));
        Registration unused = set("clients", load.settings());
        Registration recording = recorder.record();
        long next = SLICE.toNanos();
        for (Arrival each : load.trace().arrivals()) {
            for (; next <= each.at(); next += SLICE.toNanos()) {
                time.advance(next - time.read());
                recorder.tick();
            }
            time.advance(each.at() - time.read());
            clients.tryAcquire(clients.request(Map.of("client", String.valueOf(each.key()))::get));
        }
        time.advance(next - time.read());
        recorder.tick();
        RecordedLoad recorded = recorder.load("clients");
        assertEquals(load.trace().arrivals().size(), recorded.requests());
        load.changes().forEach(change -> isRightOrUnsure(recorded, load.plan(), load.trace(), change));
        recording.close();
    }
}
