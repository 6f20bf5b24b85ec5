package dev.weir.store.contract;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.rates.Ban;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Limits of each rule, and their bounds. */
public final class Specs {
    /** Permits per period in nanoseconds and the most beside them in any time. */
    public record Bound(long permits, long period, long burst) {
        /** Permits that may be granted within this time, rounded down. */
        public long within(long micros) {
            return BigInteger.valueOf(micros * 1_000)
                            .multiply(BigInteger.valueOf(permits))
                            .divide(BigInteger.valueOf(period))
                            .longValueExact()
                    + burst;
        }
    }

    private Specs() {}

    public static List<StrategySpec> even() {
        return List.of(
                TokenBucket.of(20, Duration.ofSeconds(1)),
                TokenBucket.of(7, Duration.ofMillis(3)).withCapacity(30),
                TokenBucket.of(1_000_003, Duration.ofHours(1)).withCapacity(25),
                TokenBucket.of(3, Duration.ofNanos(1_234_567)).withCapacity(20),
                LeakyBucket.of(10, Duration.ofSeconds(1)).withBurst(5),
                LeakyBucket.of(1, Duration.ofMinutes(1)),
                Gcra.of(30, Duration.ofSeconds(1)),
                Gcra.every(Duration.ofMillis(7), Duration.ofNanos(123_456_789)),
                Pacer.of(50, Duration.ofSeconds(1)),
                Pacer.of(3, Duration.ofSeconds(1)).withLargest(4));
    }

    public static List<StrategySpec> windows() {
        return List.of(
                FixedWindow.of(20, Duration.ofSeconds(1)),
                FixedWindow.aligned(30, Duration.ofMillis(1_700)),
                new FirstHitQuota(10, Duration.ofSeconds(2)),
                SlidingWindow.of(20, Duration.ofSeconds(1)),
                SlidingWindow.of(1_000, Duration.ofHours(1)).withBlocks(60),
                SlidingWindow.of(15, Duration.ofMillis(1)).withBlocks(7),
                SlidingWindow.of(4, Duration.ofSeconds(1)).withBlocks(1),
                SlidingLog.of(40, Duration.ofSeconds(1)),
                SlidingLog.of(300, Duration.ofMinutes(1)));
    }

    public static List<StrategySpec> single() {
        return Stream.concat(even().stream(), windows().stream()).toList();
    }

    public static List<StrategySpec> all() {
        StrategySpec fast = TokenBucket.of(10, Duration.ofSeconds(1));
        StrategySpec slow = TokenBucket.of(100, Duration.ofMinutes(1)).withCapacity(40);
        return Stream.concat(
                        single().stream(),
                        Stream.of(
                                new Ban(LeakyBucket.of(2, Duration.ofSeconds(1)).withBurst(9), Duration.ofSeconds(4)),
                                AllOf.of(fast, slow),
                                AllOf.of(
                                        slow,
                                        Gcra.of(13, Duration.ofSeconds(1)),
                                        Pacer.of(20, Duration.ofSeconds(1)).withLargest(3))))
                .toList();
    }

    /** The time that is worth letting pass. */
    public static long period(StrategySpec spec) {
        Bound bound = bound(spec);
        return Math.max(2, bound.period() / 1_000);
    }

    public static Bound bound(StrategySpec spec) {
        if (spec instanceof TokenBucket bucket) {
            return new Bound(bucket.permits(), bucket.period().toNanos(), bucket.capacity());
        } else if (spec instanceof LeakyBucket bucket) {
            return new Bound(bucket.permits(), bucket.period().toNanos(), bucket.burst() + 1);
        } else if (spec instanceof Gcra gcra) {
            long interval = (gcra.period().toNanos() - 1) / gcra.permits() + 1;
            return new Bound(1, interval, 1 + (gcra.tolerance().toNanos() + interval - 1) / interval);
        } else if (spec instanceof Pacer pacer) {
            long interval = (pacer.period().toNanos() - 1) / pacer.permits() + 1;
            return new Bound(1, interval, pacer.largest() + 1);
        } else if (spec instanceof FixedWindow window) {
            return new Bound(window.limit(), window.period().toNanos(), 2 * window.limit());
        } else if (spec instanceof FirstHitQuota quota) {
            return new Bound(quota.limit(), quota.window().toNanos(), 2 * quota.limit() - 1);
        } else if (spec instanceof SlidingWindow window) {
            return new Bound(window.limit(), window.period().toNanos(), window.limit());
        } else if (spec instanceof SlidingLog log) {
            return new Bound(log.limit(), log.period().toNanos(), log.limit());
        } else if (spec instanceof Ban ban) {
            return bound(ban.limit());
        }
        return bound(((AllOf) spec).limits().get(0));
    }

    public static boolean isPaced(StrategySpec spec) {
        return spec instanceof Pacer
                || (spec instanceof AllOf all && all.limits().stream().anyMatch(Specs::isPaced));
    }

    /** Microseconds in which one permit is free again when all are used; for a pacer all slots, for a window until it ends. */
    public static long interval(StrategySpec spec) {
        if (spec instanceof AllOf all) {
            return all.limits().stream().mapToLong(Specs::interval).max().orElseThrow();
        }
        Bound bound = bound(spec);
        long micros = bound.period() / 1_000 + 1;
        long permits = isPaced(spec) ? bound.burst() : 1;
        return windows().contains(spec) ? 2 * micros : permits * (micros / bound.permits() + 1);
    }
}
