package dev.weir.adaptive.contract;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.testkit.Seed;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Windows as a test wants them. */
public final class Windows {
    public static final long MS = 1_000_000;
    public static final long SLICE = 100 * MS;

    /** What controllers may read, and what they may find there. */
    private static final String[] SIGNALS = {"cpu", "memory", "load", "heap", "queue", "queue delay"};

    private static final Double[] READINGS = {
        Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1.0, -0.0, 0.0, 1e-300, 0.5, 0.95, 1.0, 1e300
    };

    private Windows() {}

    public static Latencies same(int count, double millis) {
        long[] nanos = new long[count];
        Arrays.fill(nanos, Math.round(millis * MS));
        return Latencies.of(nanos);
    }

    /** 100 ms under demand, with sixty calls of this latency. */
    public static Window.Builder busy(long limit, double millis) {
        return Window.lasting(SLICE, limit)
                .requests(60, 1)
                .ended(60, 0, 0)
                .inFlight(0, limit)
                .latencies(same(60, millis), Latencies.NONE);
    }

    /** 100 ms in which use stayed below half the limit. */
    public static Window quiet(long limit, double millis) {
        return Window.lasting(SLICE, limit)
                .requests(60, 0)
                .ended(60, 0, 0)
                .inFlight(0, (limit - 1) / 2)
                .latencies(same(60, millis), Latencies.NONE)
                .build();
    }

    /** A second in which use stayed below half the limit, and all else is by chance. */
    public static Window quiet(long limit, long at, SplittableRandom random) {
        long calls = random.nextLong(1, 200);
        long[] nanos = random.longs(5, MS, 200 * MS).toArray();
        return Window.lasting(1000 * MS, limit)
                .at(at)
                .requests(calls, 0)
                .ended(calls, 0, random.nextLong(3))
                .inFlight(0, random.nextLong(1, Math.max(2, limit / 2)))
                .latencies(Latencies.of(nanos), Latencies.NONE)
                .build();
    }

    /** What no control would measure: counts that contradict each other, impossible latencies, broken sensors. */
    public static Window hostile(SplittableRandom random) {
        Window.Builder window = Window.lasting(Seed.oneOf(random, 1L, MS, SLICE, 3_600_000 * MS), count(random))
                .at(random.nextLong())
                .epochMillis(random.nextBoolean() ? count(random) : 6_400 * random.nextLong(1_000_000))
                .requests(count(random), count(random))
                .ended(count(random), random.nextBoolean() ? 0 : count(random), count(random))
                .droppedSinceLowered(random.nextBoolean() ? 0 : count(random))
                .inFlight(count(random), count(random))
                .waiting(count(random))
                .hung(random.nextBoolean() ? 0 : count(random))
                .latencies(latencies(random), latencies(random));
        for (String name : SIGNALS) {
            if (random.nextBoolean()) {
                window.signal(name, Seed.oneOf(random, READINGS));
            }
        }
        return window.build();
    }

    private static long count(SplittableRandom random) {
        return Seed.oneOf(
                random, 0L, 1L, -1L, 2L, random.nextLong(1000), random.nextLong(), Long.MAX_VALUE, Long.MIN_VALUE);
    }

    private static Latencies latencies(SplittableRandom random) {
        long[] nanos = new long[random.nextInt(60)];
        long kind = Seed.oneOf(
                random, -1L, 0L, 1L, 1000L, 10 * MS, 3_600_000 * MS, 4_000_000 * MS, Long.MAX_VALUE, Long.MIN_VALUE);
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = random.nextInt(5) == 0 ? random.nextLong() : kind;
        }
        return Latencies.of(nanos);
    }
}
