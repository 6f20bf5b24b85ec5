package dev.weir.verification.composition;

import dev.weir.Request;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition;
import dev.weir.testkit.Composition.Concurrency;
import dev.weir.testkit.Composition.Figures;
import dev.weir.testkit.Composition.Law;
import dev.weir.testkit.Composition.Motion;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.Composition.Rate;
import dev.weir.testkit.Composition.Room;
import dev.weir.testkit.Seed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.LongFunction;

/** Each algorithm alone, small, and what it promises. */
final class Leaves {
    private static final long CATCH_UP = 10_000_000;

    private Leaves() {}

    static Composition draw(SplittableRandom random, IntFunction<Object> keys) {
        return random.nextInt(5) < 3 ? rate(random) : concurrency(random, keys);
    }

    static Composition rate(SplittableRandom random) {
        long limit = Seed.oneOf(random, 1L, 2L, 3L, 5L, 6L, 10L);
        long period = Seed.oneOf(random, 2_520_000L, 5_040_000L, 25_200_000L);
        int extra = Seed.oneOf(random, 1, 2, 3, 7);
        if (random.nextInt(4) == 0) {
            Composition drawn = rate(random);
            return drawn.exact() && !(drawn.spec() instanceof Pacer) ? settled(drawn) : drawn;
        }
        return switch (random.nextInt(19)) {
            case 0, 1 -> tokenBucket(limit, period, extra, Refill.GREEDY);
            case 2, 3 -> tokenBucket(limit, period, extra, Refill.INTERVAL);
            case 4, 5 -> leakyBucket(limit, period, extra);
            case 6, 7 -> gcra(limit, period, random.nextLong(period));
            case 8, 9 -> pacer(limit, period, extra);
            case 10, 11 -> fixedWindow(limit, period);
            case 12, 13 -> slidingWindow(limit, period, extra);
            case 14, 15 -> slidingLog(limit, period);
            case 16, 17 -> firstHitQuota(limit, period);
            default -> batched(limit, period);
        };
    }

    /* As many slots as 10 ms have may be late and come together with the next one, which may be a large one. */
    static Figures paced(long distance, long largest) {
        return new Figures(1, distance, CATCH_UP / distance + largest, 1, 0, 0, largest);
    }

    static Composition tokenBucket(long limit, long period, long burst, Refill refill) {
        boolean inBatches = refill == Refill.INTERVAL;
        return rate(
                new TokenBucket(limit, Duration.ofNanos(period), burst, burst, refill),
                limit,
                now -> new Figures(now, period, burst, inBatches ? Math.min(now, burst) : 0, inBatches ? period : 0));
    }

    static Composition leakyBucket(long limit, long period, long burst) {
        return rate(
                new LeakyBucket(limit, Duration.ofNanos(period), burst),
                limit,
                now -> new Figures(now, period, burst + 1, 0, 0));
    }

    static Composition pacer(long limit, long period, long largest) {
        return rate(
                Pacer.of(limit, Duration.ofNanos(period)).withLargest(largest),
                limit,
                now -> paced(distance(now, period), largest));
    }

    static Composition fixedWindow(long limit, long period) {
        return rate(
                FixedWindow.of(limit, Duration.ofNanos(period)),
                limit,
                now -> new Figures(now, period, now, now, 2 * period));
    }

    static Composition slidingWindow(long limit, long period, int blocks) {
        return rate(
                new SlidingWindow(limit, Duration.ofNanos(period), blocks),
                limit,
                now -> new Figures(
                        now, period, now, 0, (blocks + 1) * distance(blocks, period), distance(blocks, period)));
    }

    static Composition slidingLog(long limit, long period) {
        return rate(
                SlidingLog.of(limit, Duration.ofNanos(period)), limit, now -> new Figures(now, period, now, 0, period));
    }

    static Composition firstHitQuota(long limit, long period) {
        return rate(
                new FirstHitQuota(limit, Duration.ofNanos(period)),
                limit,
                now -> new Figures(now, period, now, now, 2 * period));
    }

    static Composition gcra(long limit, long period, long tolerance) {
        Gcra spec = new Gcra(limit, Duration.ofNanos(period), Duration.ofNanos(tolerance));
        LongFunction<Figures> by = now -> {
            long distance = distance(now, period);
            return new Figures(1, distance, 1 + tolerance / distance, tolerance % distance == 0 ? 0 : 1, 0, distance);
        };
        return alone(spec, limit, Rate.of(by), true);
    }

    /* What the stripes hold is spent as far as the bucket knows, and what they gave back it may have no room for. */
    private static Composition batched(long limit, long period) {
        StrategySpec spec = new TokenBucket(limit, Duration.ofNanos(period), 130, 130, Refill.GREEDY).batched();
        return alone(
                spec, limit, Rate.of(now -> new Figures(now, period, 130, 0, 0, 65 * distance(now, period))), false);
    }

    private static long distance(long permits, long period) {
        return (period - 1) / permits + 1;
    }

    /** The same rate of costs. */
    static Composition settled(Composition rate) {
        if (rate.spec() instanceof Settled) {
            return rate;
        }
        Part part = rate.parts().get(0);
        return alone(Settled.of(rate.spec()), part.limit(), ((Rate) part.law()).byCost(), true);
    }

    static Composition semaphore(long limit) {
        return concurrency(new Semaphore(limit), limit, (now, request) -> now);
    }

    static Composition counter(long limit) {
        return concurrency(new Counter(limit), limit, (now, request) -> request.permits() == 1 ? now : 0);
    }

    static Composition concurrency(SplittableRandom random, IntFunction<Object> keys) {
        Object k0 = keys.apply(0);
        Object k1 = keys.apply(1);
        long limit = Seed.oneOf(random, 1L, 2L, 3L, 5L, 10L);
        return switch (random.nextInt(5)) {
            case 0, 1 -> semaphore(limit);
            case 2 -> counter(limit);
            case 3 -> shedding(limit, Seed.oneOf(random, List.of(30, 60), List.of(50), List.of()));
            default ->
                partitioned(
                        limit,
                        Seed.oneOf(random, Map.of(k0, 50, k1, 30), Map.of(k0, 100), Map.of(k1, 40)),
                        Seed.oneOf(random, 0, 50, 100));
        };
    }

    static Composition shedding(long limit, List<Integer> percents) {
        return concurrency(
                new PriorityShedding(limit, percents),
                limit,
                (now, request) -> now - now * reserve(percents, request) / 100);
    }

    private static int reserve(List<Integer> percents, Request request) {
        int level = Math.min(request.priority(), percents.size());
        return level == 0 ? 0 : percents.get(level - 1);
    }

    static Composition partitioned(long limit, Map<Object, Integer> percents, int lent) {
        Room min = (now, request) -> now
                - percents.values().stream()
                        .mapToLong(percent -> (now * percent / 100 * (100 - lent) + 99) / 100)
                        .sum();
        return alone(new Partitioned(limit, percents, lent), limit, new Concurrency((now, request) -> now, min), true);
    }

    static Composition concurrency(StrategySpec spec, long limit, Room room) {
        return alone(spec, limit, new Concurrency(room, room), true);
    }

    static Composition rate(StrategySpec spec, long limit, LongFunction<Figures> by) {
        return alone(spec, limit, Rate.of(by), true);
    }

    private static Composition alone(StrategySpec spec, long limit, Law law, boolean exact) {
        return new Composition(spec, spec, List.of(Part.alone(spec, limit, law)), exact, Motion.NONE);
    }
}
