package dev.weir.config.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.Away;
import dev.weir.named.plan.LimitPlan.Stored;
import dev.weir.named.plan.Problem;
import dev.weir.store.Mode;
import dev.weir.store.WhenAway;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits with {@code scope: store} in documents. */
class StoreDocumentTest {
    private static LimitsDocument read(String limit) {
        byte[] content = ("limits:\n  a: { " + limit + " }\n...\n").getBytes(StandardCharsets.UTF_8);
        try {
            return DocumentReader.system().read("d", content, Format.YAML);
        } catch (DocumentException e) {
            throw new AssertionError(e);
        }
    }

    private static LimitPlan plan(String limit) {
        LimitsDocument document = read(limit);
        assertEquals(List.of(), document.problems());
        return Objects.requireNonNull(document.limits().get("a"));
    }

    private static Stored stored(String limit) {
        return Objects.requireNonNull(plan(limit).stored());
    }

    @Test
    void withoutScopeEachInstanceCountsForItself() {
        assertNull(plan("rate: 1/s").stored());
        assertNull(plan("rate: 1/s, scope: local").stored());
    }

    @Test
    void theModeIsExactUnlessTheDocumentSaysMore() {
        assertEquals(
                new Stored(Mode.exact(), Away.OPEN, 0, false, 2, 6),
                stored("rate: 1/s, scope: store, when-away: open"));
        assertEquals(
                Mode.exact(),
                stored("rate: 1/s, scope: store, mode: exact, when-away: open").mode());
        assertEquals(
                Mode.verdict(),
                stored("rate: 1/s, scope: store, mode: verdict, when-away: open")
                        .mode());
        assertEquals(
                new Mode.Verdict(Duration.ofMillis(20)),
                stored("rate: 1/s, scope: store, mode: { name: verdict, fresh-for: 20ms }, when-away: open")
                        .mode());
        assertEquals(
                new Mode.Batched(10, Duration.ofSeconds(3)),
                stored("rate: 1/s, scope: store, mode: { name: batched, max-unused: 10, expiry: 3s }, when-away: open")
                        .mode());
    }

    @Test
    void batchedKeepsOnePerCentOfTheSmallestLimitUnused() {
        String rest = ", scope: store, mode: batched, when-away: open";
        assertEquals(Mode.batched(10), stored("rate: 1000/s" + rest).mode());
        assertEquals(Mode.batched(10), stored("rate: 1099/s, key: true" + rest).mode());
        assertEquals(Mode.batched(1), stored("rate: 99/s" + rest).mode());
        assertEquals(
                Mode.batched(3),
                stored("all-of: [ { rate: 300/s }, { rate: 9000/h } ]" + rest).mode());
    }

    @Test
    void awayIsLocalOpenOrClosed() {
        String rest = "rate: 1/s, scope: store, when-away: ";
        assertEquals(WhenAway.closed(), stored(rest + "closed").whenAway(null));
        assertEquals(WhenAway.open(), stored(rest + "open").whenAway(null));
        WhenAway.Local local =
                (WhenAway.Local) stored(rest + "{ name: local, instances: 8 }").whenAway(null);
        assertEquals(8, local.instances().place().count());
        assertThrows(
                IllegalArgumentException.class, () -> stored(rest + "local").whenAway(null));
    }

    @Test
    void theStoreHasTheKeysOfALimit() {
        LimitPlan plan = plan("rate: 5/s, key: [user, ip], scope: store, when-away: open");
        assertEquals(TokenBucket.of(5, Duration.ofSeconds(1)), plan.spec());
        assertEquals(List.of("user", "ip"), plan.dimensions());
        assertEquals(true, Objects.requireNonNull(plan.stored()).keyed());
        assertEquals(
                SlidingWindow.of(5, Duration.ofHours(1)),
                plan("rate: 5/h, algorithm: sliding-window, key: true, scope: store, when-away: open")
                        .spec());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rate: 1/s, scope: store | d:2:6: a: when-away must be given with scope: store: local, open or closed
            rate: 1/s, scope: [store] | d:2:26: a: scope must be one of local, store, was a list
            rate: 1/s, scope: world, when-away: open | d:2:26: a: scope must be one of local, store, was world
            rate: 1/s, when-away: open | d:2:19: a: when-away must not be given without scope: store
            rate: 1/s, scope: local, mode: exact | d:2:33: a: mode must not be given without scope: store
            rate: 1/s, scope: store, when-away: open, queue: 3 | d:2:50: a: queue must not be given with scope: store
            rate: 1/s, scope: store, when-away: open, adaptive: true | d:2:50: a: adaptive must not be given with scope: store
            rate: 1/s, scope: store, when-away: open, executor: 3 | d:2:50: a: executor must not be given with scope: store
            rate: 1/s, scope: store, when-away: open, enforce: 0 | d:2:50: a: enforce must not be given with scope: store
            rate: 1/s, scope: store, when-away: open, key: true, max-keys: 9 | d:2:61: a: max-keys must not be given with scope: store
            all-of: [ { rate: 1/s, key: a } ], scope: store, when-away: open | d:2:8: a: key must be given for the whole limit with scope: store, not for limits in it
            rate: 1/s, scope: store, when-away: { name: open, instances: 3 } | d:2:58: a: when-away.instances must not be given without the name local
            rate: 1/s, scope: store, when-away: { instances: 3 } | d:2:44: a: when-away.name must be given
            rate: 1/s, scope: store, when-away: { name: local, instances: 0 } | d:2:70: a: when-away.instances must be >= 1 and <= 2147483647, was 0
            rate: 1/s, scope: store, when-away: [] | d:2:44: a: when-away must be a map, or only its name, was a list
            rate: 1/s, scope: store, when-away: open, mode: { name: exact, expiry: 1s } | d:2:71: a: mode.expiry must not be given without the name batched
            rate: 1/s, scope: store, when-away: open, mode: { name: batched, fresh-for: 1s } | d:2:73: a: mode.fresh-for must not be given without the name verdict
            rate: 1/s, scope: store, when-away: open, mode: { name: verdict, fresh-for: 0s } | d:2:56: a: mode freshFor must be > 0, was PT0S
            rate: 1/s, scope: store, when-away: open, mode: { name: batched, max-unused: 0 } | d:2:85: a: mode.max-unused must be >= 1, was 0
            """)
    void whatCannotGoTogetherIsAProblemByLine(String limit, String problem) {
        LimitsDocument document = read(limit);
        assertEquals(
                List.of(problem),
                document.problems().stream().map(Problem::toString).toList());
        assertEquals(List.of("a"), List.copyOf(document.faulty()));
    }

    @Test
    void aRolloutMayBringAStoreToSomeInstancesFirst() {
        LimitPlan plan = plan("rate: 1/s, rollout: { percent: 0, to: { scope: store, when-away: open } }");
        assertNull(plan.stored());
    }
}
