package dev.weir.config.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.By;
import dev.weir.named.plan.LimitPlan.Share;
import dev.weir.named.plan.Problem;
import dev.weir.testkit.Seed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits with a {@code share} in documents. */
class ShareDocumentTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String SHARE = "share: { quota: 400, of: zookeeper, degraded: 10 }";

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

    @Test
    void aShareIsEqualUnlessTheDocumentSaysMore() {
        assertNull(plan("rate: 1/s").find(LimitPlan.SHARE));
        assertEquals(
                new Share(400, "zookeeper", By.EQUAL, 1, 10, 2, 31),
                plan("concurrency: 1, " + SHARE).find(LimitPlan.SHARE));
        assertEquals(
                new Share(1000, "etcd", By.WEIGHT, 2, 0, 2, 26),
                plan("rate: 1/s, share: { quota: 1k, of: etcd, by: weight, weight: 2, degraded: 0 }")
                        .find(LimitPlan.SHARE));
        assertEquals(
                By.DEMAND,
                Objects.requireNonNull(plan("rate: 1/s, share: { quota: 1, of: b, by: demand, degraded: 0 }")
                                .find(LimitPlan.SHARE))
                        .by());
    }

    @Test
    void theLimitForAShareHasABurstInProportion() {
        assertEquals(new Semaphore(7), plan("concurrency: 1, " + SHARE).specFor(7));
        assertEquals(TokenBucket.of(7, SECOND), plan("rate: 1/s, " + SHARE).specFor(7));
        assertEquals(
                TokenBucket.of(7, SECOND).withCapacity(3),
                plan("rate: 2/s, burst: 1, " + SHARE).specFor(7));
        assertEquals(
                TokenBucket.of(1, SECOND).withCapacity(1),
                plan("rate: 100/s, burst: 20, " + SHARE).specFor(1));
        assertEquals(
                Keyed.of(TokenBucket.of(7, SECOND), 10_000),
                plan("rate: 1/s, key: true, " + SHARE).specFor(7));
        assertEquals(
                7,
                plan("rate: 1/s, algorithm: sliding-window, " + SHARE)
                        .specFor(7)
                        .create(() -> 0)
                        .limit());
        assertEquals(
                400, plan("concurrency: 1, " + SHARE).largest().create(() -> 0).limit());
        assertEquals(
                SlidingWindow.of(9, SECOND),
                plan("rate: 9/s, algorithm: sliding-window").largest());
    }

    @Test
    @Tag("property")
    void theBurstsOfAllInstancesAddUpToNoMoreThanThatOfTheQuota() {
        Seed.forAll(200, random -> {
            long permits = 1 + random.nextLong(1000);
            long burst = permits + random.nextLong(1000);
            LimitPlan plan = plan("rate: " + permits + "/s, burst: " + burst + ", " + SHARE);
            long left = 400;
            long sum = 0;
            while (left > 0) {
                long share = 1 + random.nextLong(left);
                sum += ((TokenBucket) plan.specFor(share)).capacity();
                left -= share;
            }
            assertTrue(sum <= ((TokenBucket) plan.specFor(400)).capacity(), sum + " of " + plan.spec());
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rate: 1/s, share: 400 | d:2:26: a: share must be a map with quota, of and degraded, was 400
            rate: 1/s, share: { of: b, degraded: 0 } | d:2:26: a: share.quota must be given
            rate: 1/s, share: { quota: 4, degraded: 0 } | d:2:26: a: share.of must be given
            rate: 1/s, share: { quota: 4, of: b } | d:2:26: a: share.degraded must be given
            rate: 1/s, share: { quota: 0, of: b, degraded: 0 } | d:2:35: a: share.quota must be >= 1 and <= 999999999999999999, was 0
            rate: 1/s, share: { quota: 4, of: b, degraded: 0, by: weight } | d:2:26: a: share.weight must be given with by: weight
            rate: 1/s, share: { quota: 4, of: b, degraded: 0, weight: 2 } | d:2:58: a: share.weight must not be given without by: weight
            rate: 1/s, warm-up: 1s, share: { quota: 4, of: b, degraded: 0 } | d:2:19: a: warm-up must not be given with share
            rate: 1/s, adaptive: true, share: { quota: 4, of: b, degraded: 0 } | d:2:19: a: adaptive must not be given with share
            rate: 1/s, scope: store, when-away: open, share: { quota: 4, of: b, degraded: 0 } | d:2:50: a: share must not be given with scope: store
            rate: 1/s, algorithm: leaky-bucket, burst: 5, share: { quota: 4, of: b, degraded: 0 } | d:2:61: a: share must not be given with an algorithm whose burst does not depend on its rate
            rate: 1M/s, batched: true, share: { quota: 4, of: b, degraded: 0 } | d:2:42: a: share must not be given with an algorithm whose burst does not depend on its rate
            """)
    void whatCannotGoTogetherIsAProblemByLine(String limit, String problem) {
        assertEquals(
                List.of(problem),
                read(limit).problems().stream().map(Problem::toString).toList());
    }

    @Test
    void aShareIsOfOneLimit() {
        List<Problem> problems =
                read("all-of: [ { rate: 1/s }, { concurrency: 3 } ], " + SHARE).problems();
        assertEquals(
                List.of("must not be given with all-of: a quota is of one limit"),
                problems.stream().map(Problem::rule).toList());
    }
}
