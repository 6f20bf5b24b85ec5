package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Cpu;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Requests that come all at once, to a server that has the time to serve them. Drawn for each seed. */
final class Bursts {
    private static final int OF_EACH = 2;
    private static final double INSTANT = 0.05;
    private static final double MAX_RATE = 2000;

    private final SplittableRandom random;

    private Bursts(SplittableRandom random) {
        this.random = random;
    }

    static List<Scenario> of(long seed) {
        Bursts bursts = new Bursts(new SplittableRandom(seed));
        List<Scenario> all = new ArrayList<>();
        for (int i = 1; i <= OF_EACH; i++) {
            all.add(bursts.batches("each_second_" + i, 1, 90));
            all.add(bursts.batches("each_minute_" + i, 60, 300));
            all.add(bursts.clumps("clumps_" + i));
            all.add(bursts.cron("cron_" + i));
            all.add(bursts.stampede("stampede_" + i));
        }
        return all;
    }

    /** All that comes within a period comes in the first twentieth of the time that the server needs for it, at most 5 s. */
    private Scenario batches(String name, double period, double seconds) {
        double share = between(0.3, 0.9);
        double drain = Math.min(5, period * share);
        return scenario(
                name,
                seconds,
                capacity -> new Steps(
                        moments(period, INSTANT * drain, seconds), alternating(capacity / INSTANT, 0, period, seconds)),
                drain);
    }

    /** Half of what the server can do comes in clumps of 1.7 of it. */
    private Scenario clumps(String name) {
        double on = between(0.2, 2);
        double period = on * 1.7 / 0.5;
        return scenario(
                name,
                90,
                capacity -> new Steps(moments(period, on, 90), alternating(1.7 * capacity, 0, period, 90)),
                0.7 * on);
    }

    /** Beside a steady load, ten times the capacity for a moment each half minute. */
    private Scenario cron(String name) {
        double steady = between(0.2, 0.5);
        double on = between(0.05, 0.3);
        return scenario(
                name,
                180,
                capacity -> new Steps(moments(30, on, 180), alternating(10 * capacity, steady * capacity, 30, 180)),
                10 * on / (1 - steady));
    }

    /** Three times the capacity for some seconds, once. */
    private Scenario stampede(String name) {
        double steady = between(0.3, 0.7);
        double on = between(0.5, 3);
        return scenario(
                name,
                90,
                capacity -> Steps.between(steady * capacity, 40, 3 * capacity, 40 + on),
                2 * on / (1 - steady));
    }

    /** Steps at the beginning and the end of what comes in each period. */
    private static List<Double> moments(double period, double on, double seconds) {
        List<Double> at = new ArrayList<>();
        for (double from = 0; from < seconds; from += period) {
            at.add(from);
            at.add(from + on);
        }
        return at;
    }

    private static List<Double> alternating(double high, double low, double period, double seconds) {
        List<Double> values = new ArrayList<>();
        for (double from = 0; from < seconds; from += period) {
            values.add(high);
            values.add(low);
        }
        return values;
    }

    private interface Arriving {
        Steps at(double capacity);
    }

    /* Callers wait for half as long again as a queue needs to serve all. */
    private Scenario scenario(String name, double seconds, Arriving arriving, double drainSeconds) {
        double workers = Math.rint(between(4, 64));
        double millis = Math.max(1e3 * workers / MAX_RATE, between(4, 80));
        return Scenario.of(
                name,
                seconds,
                1.5e3 * drainSeconds + 8 * millis,
                arriving.at(1e3 * workers / millis),
                millis,
                Cpu.workers(workers),
                workers);
    }

    private double between(double min, double max) {
        return Draws.between(random, min, max);
    }
}
