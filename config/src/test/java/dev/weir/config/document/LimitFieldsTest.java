package dev.weir.config.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.KeyMissing;
import dev.weir.named.plan.Problem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields {@code track-permits}, {@code hot-keys} and {@code key-missing} of a limit. */
class LimitFieldsTest {
    private static LimitsDocument read(String limit) throws DocumentException {
        byte[] content = ("limits: { a: { " + limit + " } }").getBytes(StandardCharsets.UTF_8);
        return DocumentReader.system().read("d", content, Format.YAML);
    }

    private static LimitPlan plan(String limit) throws DocumentException {
        LimitsDocument document = read(limit);
        assertEquals(List.of(), document.problems());
        return Objects.requireNonNull(document.limits().get("a"));
    }

    @Test
    void withoutThemNothingIsTrackedAndARequestWithoutKeyIsRefused() throws Exception {
        LimitPlan plan = plan("rate: 1/s, key: user");
        assertEquals(0, plan.get(LimitPlan.TRACK_PERMITS));
        assertFalse(plan.get(LimitPlan.HOT_KEYS));
        assertEquals(KeyMissing.REFUSE, plan.get(LimitPlan.KEY_MISSING));
    }

    @Test
    void aPlanHasThemAndItsSettingsShowAChange() throws Exception {
        LimitPlan plan = plan("concurrency: 1, key: user, track-permits: 1k, hot-keys: true, key-missing: skip");
        assertEquals(1_000, plan.get(LimitPlan.TRACK_PERMITS));
        assertTrue(plan.get(LimitPlan.HOT_KEYS));
        assertEquals(KeyMissing.SKIP, plan.get(LimitPlan.KEY_MISSING));
        assertEquals("1k", plan.settings().get("track-permits"));
        assertEquals("true", plan.settings().get("hot-keys"));
        assertEquals("skip", plan.settings().get("key-missing"));
        assertEquals(0, plan("concurrency: 1, track-permits: 0").get(LimitPlan.TRACK_PERMITS));
    }

    @Test
    void theKeyMayBeThatOfAPart() throws Exception {
        LimitPlan plan =
                plan("all-of: [ { rate: 1/s }, { rate: 1/s, key: user } ], key-missing: share, hot-keys: true");
        assertEquals(KeyMissing.SHARE, plan.get(LimitPlan.KEY_MISSING));
        assertTrue(plan.get(LimitPlan.HOT_KEYS));
        assertEquals(
                KeyMissing.SHARE,
                plan("rate: 1/s, key: true, warm-up: 1s, key-missing: share").get(LimitPlan.KEY_MISSING));
        assertEquals(
                KeyMissing.SKIP,
                plan("rate: 1/s, key: user, key-missing: skip, scope: store, when-away: open")
                        .get(LimitPlan.KEY_MISSING));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rate: 1/s, hot-keys: true | d:1:27: a: hot-keys must not be given without key",
                "rate: 1/s, key: false, key-missing: skip | d:1:39: a: key-missing must not be given without key",
                "rate: 1/s, key: user, key-missing: ignore | d:1:51: a: key-missing must be one of refuse, share, skip, was ignore",
                "rate: 1/s, key: user, hot-keys: 3 | d:1:48: a: hot-keys must be true or false, was 3",
                "rate: 1/s, track-permits: -1 | d:1:42: a: track-permits must be >= 0 and <= 2147483647, was -1",
                "rate: 1/s, track-permits: 3G | d:1:42: a: track-permits must be >= 0 and <= 2147483647, was 3G",
                "rate: 1/s, key: user, hot-keys: true, scope: store, when-away: open | d:1:38: a: hot-keys must not be given with scope: store",
                "rate: 1/s, track-permits: 9, scope: store, when-away: open | d:1:27: a: track-permits must not be given with scope: store"
            })
    void whatDoesNotFitIsAProblem(String limit, String problem) throws Exception {
        assertEquals(
                List.of(problem),
                read(limit).problems().stream().map(Problem::toString).toList());
    }
}
