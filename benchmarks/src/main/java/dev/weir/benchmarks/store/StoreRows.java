package dev.weir.benchmarks.store;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.benchmarks.store.StoreRow.Memory;
import dev.weir.benchmarks.store.StoreRow.Starter;
import dev.weir.store.Mode;
import dev.weir.redis.Ban;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** What is compared. The first row is the floor. */
final class StoreRows {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long EACH = 1_000;
    private static final long HOT = 10_000_000;
    private static final int APART = 32;
    private static final int LOAD = 5_000;
    private static final Memory SLOW = new Memory(100, Duration.ofSeconds(1_000), Duration.ZERO);
    /** A request in each of ten blocks. */
    private static final Memory IN_BLOCKS = new Memory(100, Duration.ofSeconds(20), Duration.ofSeconds(2));

    private StoreRows() {}

    /**
     * All rows.
     *
     * @param keys of the rows with many of them
     */
    static List<StoreRow> all(int keys) {
        List<StoreRow> rows = new ArrayList<>();
        rows.addAll(manyKeys(new Terms(keys, EACH, SECOND)));
        rows.addAll(oneKey(new Terms(1, HOT, SECOND)));
        rows.addAll(network(new Terms(keys, EACH, SECOND)));
        return rows;
    }

    private static List<StoreRow> manyKeys(Terms terms) {
        return List.of(
                StoreRow.fast("floor", "a script that returns 1", terms, Floor::new),
                StoreRow.fast("floor-joined", "a script that returns 1 for each of 64 keys", terms, JoinedFloor::new),
                StoreRow.fast("bucket", "Weir, `TokenBucket`, exact", terms, exact(TokenBucket::of))
                        .with(SLOW),
                StoreRow.fast("two-rates", "Weir, `AllOf` of two buckets, exact", terms, exact(StoreRows::two))
                        .with(SLOW),
                StoreRow.fast(
                                "settled",
                                "Weir, `Settled` bucket, exact",
                                terms,
                                exact((permits, period) -> Settled.of(TokenBucket.of(permits, period))))
                        .with(SLOW),
                StoreRow.fast("window", "Weir, `SlidingWindow`, exact", terms, exact(SlidingWindow::of))
                        .with(IN_BLOCKS),
                StoreRow.fast("log", "Weir, `SlidingLog`, exact", terms, exact(SlidingLog::of))
                        .with(SLOW),
                StoreRow.fast("fixed", "Weir, `FixedWindow`, exact", terms, exact(FixedWindow::of))
                        .with(SLOW),
                StoreRow.fast("first-hit", "Weir, `FirstHitQuota`, exact", terms, exact(FirstHitQuota::new))
                        .with(SLOW),
                StoreRow.fast("ban", "Weir, `Ban`, exact", terms, exact(StoreRows::ban))
                        .with(SLOW),
                StoreRow.fast("verdict", "Weir, `TokenBucket`, verdict", terms, ours(TokenBucket::of, Mode.verdict())),
                StoreRow.fast(
                        "batched",
                        "Weir, `TokenBucket`, batched, 1 % of the limit",
                        terms,
                        ours(TokenBucket::of, Mode.batched(EACH / 100))),
                StoreRow.fast(
                        "batched-tenth",
                        "Weir, `TokenBucket`, batched, 10 % of the limit",
                        terms,
                        ours(TokenBucket::of, Mode.batched(EACH / 10))),
                StoreRow.fast("gateway", "a script of the Spring Cloud Gateway kind", terms, GatewayScript::new)
                        .with(SLOW),
                StoreRow.fast("redisson", "Redisson's `RRateLimiter`", terms, RatesOfRedisson::new)
                        .with(SLOW),
                StoreRow.fast("bucket4j", "Bucket4j over Lettuce", terms, BucketsOfBucket4j::plain)
                        .with(SLOW),
                StoreRow.fast(
                        "bucket4j-batching", "Bucket4j over Lettuce, batching", terms, BucketsOfBucket4j::batching));
    }

    private static List<StoreRow> oneKey(Terms terms) {
        return List.of(
                StoreRow.fast("hot-floor", "a script that returns 1", terms, Floor::new),
                StoreRow.fast("hot-bucket", "Weir, `TokenBucket`, exact", terms, exact(TokenBucket::of)),
                StoreRow.fast("hot-window", "Weir, `SlidingWindow`, exact", terms, exact(SlidingWindow::of)),
                StoreRow.fast(
                        "hot-verdict", "Weir, `TokenBucket`, verdict", terms, ours(TokenBucket::of, Mode.verdict())),
                StoreRow.fast(
                        "hot-batched",
                        "Weir, `TokenBucket`, batched, 1 % of the limit",
                        terms,
                        ours(TokenBucket::of, Mode.batched(HOT / 100))),
                StoreRow.fast("hot-gateway", "a script of the Spring Cloud Gateway kind", terms, GatewayScript::new),
                StoreRow.fast("hot-redisson", "Redisson's `RRateLimiter`", terms, RatesOfRedisson::new),
                StoreRow.fast("hot-bucket4j", "Bucket4j over Lettuce", terms, BucketsOfBucket4j::plain),
                StoreRow.fast(
                        "hot-bucket4j-batching",
                        "Bucket4j over Lettuce, batching",
                        terms,
                        BucketsOfBucket4j::batching));
    }

    private static List<StoreRow> network(Terms terms) {
        List<StoreRow> rows = new ArrayList<>();
        for (int load : new int[] {0, LOAD}) {
            String end = load == 0 ? "" : "-load";
            rows.add(StoreRow.fast("", "", terms, Floor::new).far("far-floor" + end, "a script that returns 1", load));
            rows.add(StoreRow.fast(
                            "",
                            "",
                            terms,
                            (uri, name, all) -> OurLimiter.apart(
                                    uri, name, all, TokenBucket.of(all.permits(), all.period()), APART))
                    .far(
                            "far-apart" + end,
                            "Weir, `TokenBucket`, exact, by " + APART + " connections, so that nothing is joined",
                            load));
            rows.add(StoreRow.fast("", "", terms, exact(TokenBucket::of))
                    .far("far-joined" + end, "Weir, `TokenBucket`, exact", load));
        }
        return rows;
    }

    private static StrategySpec two(long permits, Duration period) {
        return AllOf.of(TokenBucket.of(permits, period), TokenBucket.of(60 * permits, period.multipliedBy(120)));
    }

    private static StrategySpec ban(long permits, Duration period) {
        return new Ban(LeakyBucket.of(permits, period), Duration.ofMinutes(1));
    }

    private static Starter exact(BiFunction<Long, Duration, StrategySpec> rate) {
        return ours(rate, Mode.exact());
    }

    private static Starter ours(BiFunction<Long, Duration, StrategySpec> rate, Mode mode) {
        return (uri, name, terms) -> OurLimiter.of(uri, name, terms, rate.apply(terms.permits(), terms.period()), mode);
    }
}
