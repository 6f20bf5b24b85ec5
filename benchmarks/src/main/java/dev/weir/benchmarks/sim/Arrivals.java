package dev.weir.benchmarks.sim;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The requests of a scenario, drawn before anything runs, so that every limit is asked for the same. */
final class Arrivals {
    final int count;
    final long[] at;
    final int[] priority;
    final Work[] work;
    final double[] cpu;
    final double[] dependency;
    final int[] instance;
    private final double @Nullable [] drop;

    /** The time that 99 and 50 in a hundred of them take at most, alone on an idle server at full speed, in nanoseconds; of the usual calls. */
    final double aloneP99;

    final double aloneP50;

    Arrivals(Scenario scenario, long seed) {
        SplittableRandom random = new SplittableRandom(
                seed * 0x9E3779B97F4A7C15L + scenario.name().hashCode());
        SplittableRandom sizes = random.split();
        long[] moments = moments(scenario, random);
        count = moments.length;
        at = moments;
        priority = new int[count];
        work = new Work[count];
        cpu = new double[count];
        dependency = new double[count];
        instance = instances(scenario, seed);
        double[] alone = new double[count];
        int usual = 0;
        int mix = 0;
        for (int i = 0; i < count; i++) {
            while (mix + 1 < scenario.mixes().size()
                    && scenario.mixes().get(mix + 1).from() * 1e9 <= at[i]) {
                mix++;
            }
            priority[i] = pick(scenario, sizes);
            work[i] = kind(scenario.mixes().get(mix), sizes);
            cpu[i] = work[i].draw(sizes);
            Scenario.Dependency second = scenario.dependency();
            dependency[i] = second == null
                    ? 0
                    : Work.exponential(1, second.meanMillis()).draw(sizes);
            if (work[i].apart() == null) {
                alone[usual++] = cpu[i] + dependency[i];
            }
        }
        Arrays.sort(alone, 0, usual);
        aloneP99 = alone[(int) Math.max(0, Math.min(usual - 1, Math.ceil(usual * 0.99) - 1))];
        aloneP50 = alone[Math.max(0, (usual - 1) / 2)];
        drop = scenario.drops() == null ? null : random.doubles(count).toArray();
    }

    /* Drawn apart, so that a fleet moves no other draw. */
    private int[] instances(Scenario scenario, long seed) {
        int[] all = new int[count];
        Scenario.Fleet fleet = scenario.fleet();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; fleet != null && i < count; i++) {
            all[i] = fleet.at(at[i], random.nextDouble());
        }
        return all;
    }

    /** True if a server below that refuses such a share refuses this one. */
    boolean dropped(int request, double share) {
        return drop != null && drop[request] < share;
    }

    /* Thinned from the highest rate there is, so that a change of the rate moves no other draw. */
    private static long[] moments(Scenario scenario, SplittableRandom random) {
        Steps rate = scenario.arrivals();
        double highest = rate.max();
        long[] moments = new long[(int) (highest * scenario.seconds() * 1.2) + 1000];
        int n = 0;
        int step = 0;
        double now = 0;
        for (; ; ) {
            now += 1e9 / highest * Draws.exponential(random);
            if (now >= scenario.nanos()) {
                return Arrays.copyOf(moments, n);
            }
            while (rate.end(step) <= now) {
                step++;
            }
            if (random.nextDouble() * highest < rate.value(step)) {
                moments[n++] = 1 + (long) now;
            }
        }
    }

    private static Work kind(Scenario.Mix mix, SplittableRandom random) {
        double point = random.nextDouble();
        for (Work work : mix.work()) {
            point -= work.share();
            if (point < 0) {
                return work;
            }
        }
        return mix.work().get(mix.work().size() - 1);
    }

    private static int pick(Scenario scenario, SplittableRandom random) {
        double point = random.nextDouble();
        int last = scenario.classes().size() - 1;
        for (int p = 0; p < last; p++) {
            point -= scenario.classes().get(p);
            if (point < 0) {
                return p;
            }
        }
        return last;
    }
}
