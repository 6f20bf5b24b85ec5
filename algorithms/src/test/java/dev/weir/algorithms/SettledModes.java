package dev.weir.algorithms;

import dev.weir.algorithms.SettledHistory.Mode;
import dev.weir.algorithms.SpendingModel.Figures;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** Each rate that can be settled, small, with what it promises, alone and in others. */
final class SettledModes {
    private static final InstantSource WALL = () -> Instant.ofEpochSecond(0, 3);

    private SettledModes() {}

    static List<Mode> rates() {
        return List.of(
                bucket(1, 2, 3),
                bucket(3, 4, 2),
                interval(2, 3, 2),
                leaky(1, 3, 2),
                gcra(1, 2, 3),
                window(2, 4),
                aligned(3, 5),
                sliding(3, 4, 2),
                log(2, 3),
                quota(3, 4));
    }

    /** All orders of this many numbers below a bound, with repetition. */
    static void forAllOrders(int bound, int length, Consumer<int[]> action) {
        int[] order = new int[length];
        int place;
        do {
            action.accept(order);
            place = 0;
            while (place < length && ++order[place] == bound) {
                order[place++] = 0;
            }
        } while (place < length);
    }

    private static Duration nanos(long nanos) {
        return Duration.ofNanos(nanos);
    }

    private static Mode mode(LongFunction<StrategySpec> rate, LongFunction<Figures> figures, long limit) {
        return Mode.of(Settled.of(rate.apply(limit)), figures, limit);
    }

    private static Mode bucket(long limit, long period, long burst) {
        return mode(
                now -> TokenBucket.of(now, nanos(period)).withCapacity(burst),
                now -> new Figures(now, period, burst, 0, 0, true),
                limit);
    }

    private static Mode interval(long limit, long period, long burst) {
        return mode(
                now -> new TokenBucket(now, nanos(period), burst, burst, Refill.INTERVAL),
                now -> new Figures(now, period, burst, Math.min(now, burst), period, false),
                limit);
    }

    private static Mode leaky(long limit, long period, long burst) {
        return mode(
                now -> new LeakyBucket(now, nanos(period), burst),
                now -> new Figures(now, period, burst + 1, 0, 0, true),
                limit);
    }

    private static Mode gcra(long limit, long period, long tolerance) {
        return mode(
                now -> new Gcra(now, nanos(period), nanos(tolerance)),
                now -> {
                    long distance = (period - 1) / now + 1;
                    long part = tolerance % distance == 0 ? 0 : 1;
                    return new Figures(1, distance, 1 + tolerance / distance, part, 0, false);
                },
                limit);
    }

    private static Mode window(long limit, long period) {
        return mode(
                now -> FixedWindow.of(now, nanos(period)),
                now -> new Figures(now, period, now, now, 2 * period, false),
                limit);
    }

    private static Mode aligned(long limit, long period) {
        return mode(
                now -> FixedWindow.aligned(now, nanos(period), WALL),
                now -> new Figures(now, period, now, now, 2 * period, false),
                limit);
    }

    private static Mode sliding(long limit, long period, int blocks) {
        return mode(
                now -> new SlidingWindow(now, nanos(period), blocks),
                now -> new Figures(now, period, now, 0, (blocks + 1) * ((period - 1) / blocks + 1), false),
                limit);
    }

    private static Mode log(long limit, long period) {
        return mode(
                now -> SlidingLog.of(now, nanos(period)),
                now -> new Figures(now, period, now, 0, period, false),
                limit);
    }

    private static Mode quota(long limit, long period) {
        return mode(
                now -> new FirstHitQuota(now, nanos(period)),
                now -> new Figures(now, period, now, now, 2 * period, false),
                limit);
    }

    /** Beside another rate, which has room for all. */
    static Mode beside(Mode mode) {
        return mode.around(spec -> AllOf.of(spec, TokenBucket.of(1_000_000, nanos(1_000_000))));
    }

    /** Beside a concurrency limit, which has room for all. */
    static Mode holding(Mode mode) {
        return mode.around(spec -> AllOf.of(spec, new Semaphore(1_000)));
    }

    /** The rate alone, of permits. */
    static Mode plain(Mode mode) {
        return mode.as(((Settled) mode.spec()).rate(), false, false);
    }

    /** Colder at first. */
    static Mode rising(Mode mode) {
        return mode.as(WarmUp.of(mode.spec(), nanos(6)), true, true);
    }

    /** For each key, of which one has a place. */
    static Mode keyed(Mode mode) {
        return mode.as(Keyed.of(mode.spec(), 1).withDebtCells(1 << 6), mode.isByCost(), mode.isRising());
    }
}
