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
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.rates.Ban;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The rows of the comparison. The first is the floor. */
final class StoreRows {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long EACH = 1_000;
    private static final long HOT = 10_000_000;
    private static final int APART = 32;
    private static final int LOAD = 5_000;
    private static final Memory SLOW = new Memory(100, Duration.ofDays(1), Duration.ZERO);
    /** A log tells its requests apart. */
    private static final Memory APART_IN_LOG = new Memory(100, Duration.ofSeconds(1_000), Duration.ZERO);
    /** A request in each of ten blocks. */
    private static final Memory IN_BLOCKS = new Memory(100, Duration.ofSeconds(20), Duration.ofSeconds(2));

    private static final String FLOOR = "a script that returns 1";
    private static final String BUCKET = "Weir, `TokenBucket`, exact";
    private static final String WINDOW = "Weir, `SlidingWindow`, exact";
    private static final String VERDICT = "Weir, `TokenBucket`, verdict";
    private static final String BATCHED = "Weir, `TokenBucket`, batched, 1 % of the limit";
    private static final String GATEWAY = "a script of the Spring Cloud Gateway kind";
    private static final String REDISSON = "Redisson's `RRateLimiter`";
    private static final String BUCKET4J = "Bucket4j over Lettuce";
    private static final String BATCHING = "Bucket4j over Lettuce, batching";
    private static final String JOINED_FLOOR = "a script that returns 1 for each of 64 keys";

    private final List<StoreRow> rows = new ArrayList<>();
    private Terms terms;

    private StoreRows(Terms terms) {
        this.terms = terms;
    }

    /**
     * All rows.
     *
     * @param keys of the rows with many of them
     */
    static List<StoreRow> all(int keys) {
        Terms many = new Terms(keys, EACH, SECOND);
        StoreRows all = new StoreRows(many);
        all.manyKeys();
        all.terms = new Terms(1, HOT, SECOND);
        all.oneKey();
        all.terms = many;
        all.network();
        all.databases();
        all.terms = new Terms(1, HOT, SECOND);
        all.hotDatabases();
        return all.rows;
    }

    private void manyKeys() {
        row("floor", FLOOR, Floor::new);
        row("floor-joined", JOINED_FLOOR, JoinedFloor::new);
        row("bucket", BUCKET, exact(TokenBucket::of), SLOW);
        row("two-rates", "Weir, `AllOf` of two buckets, exact", exact(StoreRows::two), SLOW);
        row("settled", "Weir, `Settled` bucket, exact", exact(StoreRows::settled), SLOW);
        row("window", WINDOW, exact(SlidingWindow::of), IN_BLOCKS);
        row("log", "Weir, `SlidingLog`, exact", exact(SlidingLog::of), APART_IN_LOG);
        row("fixed", "Weir, `FixedWindow`, exact", exact(FixedWindow::of), SLOW);
        row("first-hit", "Weir, `FirstHitQuota`, exact", exact(FirstHitQuota::new), SLOW);
        row("ban", "Weir, `Ban`, exact", exact(StoreRows::ban), SLOW);
        row("verdict", VERDICT, ours(TokenBucket::of, Mode.verdict()));
        row("batched", BATCHED, ours(TokenBucket::of, Mode.batched(EACH / 100)));
        row(
                "batched-tenth",
                "Weir, `TokenBucket`, batched, 10 % of the limit",
                ours(TokenBucket::of, Mode.batched(EACH / 10)));
        row("gateway", GATEWAY, GatewayScript::new, SLOW);
        row("redisson", REDISSON, RatesOfRedisson::new, SLOW);
        row("bucket4j", BUCKET4J, BucketsOfBucket4j::plain, SLOW);
        row("bucket4j-batching", BATCHING, BucketsOfBucket4j::batching);
    }

    private void oneKey() {
        row("hot-floor", FLOOR, Floor::new);
        row("hot-bucket", BUCKET, exact(TokenBucket::of));
        row("hot-window", WINDOW, exact(SlidingWindow::of));
        row("hot-verdict", VERDICT, ours(TokenBucket::of, Mode.verdict()));
        row("hot-batched", BATCHED, ours(TokenBucket::of, Mode.batched(HOT / 100)));
        row("hot-gateway", GATEWAY, GatewayScript::new);
        row("hot-redisson", REDISSON, RatesOfRedisson::new);
        row("hot-bucket4j", BUCKET4J, BucketsOfBucket4j::plain);
        row("hot-bucket4j-batching", BATCHING, BucketsOfBucket4j::batching);
    }

    private void network() {
        // Requests that are on their way at once have a connection each, so that none is joined with others.
        Starter byMany = ours(TokenBucket::of, Mode.exact(), APART);
        String apart = BUCKET + ", by " + APART + " connections";
        far("far-floor", FLOOR, 0, Floor::new);
        far("far-apart", apart, 0, byMany);
        far("far-joined", BUCKET, 0, exact(TokenBucket::of));
        far("far-floor-load", FLOOR, LOAD, Floor::new);
        far("far-apart-load", apart, LOAD, byMany);
        far("far-joined-load", BUCKET, LOAD, exact(TokenBucket::of));
    }

    private void databases() {
        sql(Place.POSTGRES, "postgres-bucket", BUCKET, inDatabase(TokenBucket::of, Mode.exact()), SLOW);
        sql(Place.POSTGRES, "postgres-window", WINDOW, inDatabase(SlidingWindow::of, Mode.exact()), IN_BLOCKS);
        sql(Place.POSTGRES, "postgres-batched", BATCHED, inDatabase(TokenBucket::of, Mode.batched(EACH / 100)), null);
        sql(Place.H2, "h2-bucket", BUCKET, inDatabase(TokenBucket::of, Mode.exact()), null);
        sql(Place.H2, "h2-window", WINDOW, inDatabase(SlidingWindow::of, Mode.exact()), null);
        sql(Place.H2, "h2-batched", BATCHED, inDatabase(TokenBucket::of, Mode.batched(EACH / 100)), null);
    }

    private void hotDatabases() {
        for (Place place : List.of(Place.POSTGRES, Place.H2)) {
            String name = place == Place.POSTGRES ? "hot-postgres-" : "hot-h2-";
            sql(place, name + "bucket", BUCKET, inDatabase(TokenBucket::of, Mode.exact()), null);
            sql(place, name + "batched", BATCHED, inDatabase(TokenBucket::of, Mode.batched(HOT / 100)), null);
        }
    }

    private void sql(Place place, String name, String what, Starter starter, @Nullable Memory memory) {
        String database = place == Place.POSTGRES ? "PostgreSQL: " : "H2: ";
        rows.add(new StoreRow(name, database + what, terms, place, 0, memory, starter));
    }

    private static Starter inDatabase(BiFunction<Long, Duration, StrategySpec> rate, Mode mode) {
        return (uri, name, terms) ->
                OurLimiter.database(uri, name, terms, rate.apply(terms.permits(), terms.period()), mode);
    }

    private void row(String name, String what, Starter starter) {
        row(name, what, starter, null);
    }

    private void row(String name, String what, Starter starter, @Nullable Memory memory) {
        rows.add(new StoreRow(name, what, terms, Place.REDIS, 0, memory, starter));
    }

    private void far(String name, String what, int load, Starter starter) {
        rows.add(new StoreRow(name, what, terms, Place.FAR, load, null, starter));
    }

    private static Starter exact(BiFunction<Long, Duration, StrategySpec> rate) {
        return ours(rate, Mode.exact());
    }

    private static Starter ours(BiFunction<Long, Duration, StrategySpec> rate, Mode mode) {
        return ours(rate, mode, 1);
    }

    private static Starter ours(BiFunction<Long, Duration, StrategySpec> rate, Mode mode, int connections) {
        return (uri, name, terms) ->
                OurLimiter.redis(uri, name, terms, rate.apply(terms.permits(), terms.period()), mode, connections);
    }

    private static StrategySpec two(long permits, Duration period) {
        return AllOf.of(TokenBucket.of(permits, period), TokenBucket.of(60 * permits, period.multipliedBy(120)));
    }

    private static StrategySpec settled(long permits, Duration period) {
        return Settled.of(TokenBucket.of(permits, period));
    }

    private static StrategySpec ban(long permits, Duration period) {
        return new Ban(new LeakyBucket(permits, period, permits), Duration.ofMinutes(1));
    }
}
