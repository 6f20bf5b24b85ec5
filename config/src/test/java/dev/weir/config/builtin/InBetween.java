package dev.weir.config.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Each algorithm, with another one in force for a while: what it granted is not forgotten. */
final class InBetween {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Request REQUEST = Request.forKey("k");
    private static final int LIMIT = 10;
    private static final int MORE = 5;

    private InBetween() {}

    static List<StrategySpec> concurrencyLimits() {
        Semaphore semaphore = new Semaphore(LIMIT);
        return List.of(
                semaphore,
                new Counter(LIMIT),
                new Partitioned(LIMIT, Map.of("k", 50), 100),
                PriorityShedding.of(LIMIT, 50),
                Keyed.of(semaphore, 100),
                AllOf.of(semaphore, TokenBucket.of(1_000, SECOND)));
    }

    static List<StrategySpec> rates() {
        TokenBucket bucket = TokenBucket.of(LIMIT, SECOND);
        return List.of(
                bucket,
                new TokenBucket(LIMIT, SECOND, LIMIT, LIMIT, TokenBucket.Refill.INTERVAL),
                TokenBucket.of(1_000, SECOND).batched(),
                LeakyBucket.of(LIMIT, SECOND).withBurst(3),
                Pacer.of(LIMIT, SECOND),
                Gcra.of(LIMIT, SECOND),
                FixedWindow.of(LIMIT, SECOND),
                SlidingWindow.of(LIMIT, SECOND),
                SlidingLog.of(LIMIT, SECOND),
                new FirstHitQuota(LIMIT, SECOND),
                Keyed.of(bucket, 100),
                AllOf.of(bucket, SlidingLog.of(20, SECOND)));
    }

    /** The permits in flight count on, those that the one in between granted too, until they are released. */
    static void keepsWhatIsInFlight(StrategySpec limit, StrategySpec between, int grantedMeanwhile) {
        ManagedLimiter limiter = limiter(limit, new VirtualTime());
        List<Permit> held = taken(limiter, 7);
        assertEquals(7, held.size());
        limiter.reconfigure(between);
        held.addAll(taken(limiter, MORE));
        assertEquals(7 + grantedMeanwhile, held.size());
        assertEquals(held.size(), limiter.inFlight());
        limiter.reconfigure(limit);
        boolean isByKey = limit instanceof Keyed;
        int counted = isByKey ? 7 : held.size();
        List<Permit> more = taken(limiter, 100);
        assertEquals(Math.max(0, LIMIT - counted), more.size(), limit::toString);
        held.forEach(Permit::close);
        more.forEach(Permit::close);
        assertEquals(0, limiter.inFlight());
        assertEquals(LIMIT, taken(limiter, 100).size(), limit::toString);
    }

    /** Nothing that was spent can be spent again, and what refills meanwhile can. */
    static void keepsWhatIsSpent(StrategySpec rate, StrategySpec between) {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(rate, time);
        int spent = taken(limiter, 10_000).size();
        limiter.reconfigure(between);
        taken(limiter, MORE).forEach(Permit::close);
        limiter.reconfigure(rate);
        assertEquals(0, taken(limiter, 10_000).size(), rate::toString);
        limiter.reconfigure(between);
        time.advance(Duration.ofSeconds(3));
        limiter.reconfigure(rate);
        int again = taken(limiter, 10_000).size();
        assertTrue(again > 0 && again <= spent, () -> again + " of " + spent + ": " + rate);
    }

    private static ManagedLimiter limiter(StrategySpec spec, VirtualTime time) {
        return Limiters.builder("limiter", spec).ticker(time).build();
    }

    private static List<Permit> taken(ManagedLimiter limiter, int atMost) {
        List<Permit> taken = new ArrayList<>();
        while (taken.size() < atMost && limiter.tryAcquire(REQUEST) instanceof Permit permit) {
            taken.add(permit);
        }
        return taken;
    }
}
