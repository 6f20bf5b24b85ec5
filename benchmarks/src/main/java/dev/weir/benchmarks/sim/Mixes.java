package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Work.Apart;
import java.util.ArrayList;
import java.util.List;

/** Few long calls among many short ones: some that wait and hold no worker, and some that work. */
final class Mixes {
    private static final double SHORT_MILLIS = 20;
    private static final double TIMEOUT = 500;
    private static final int WORKERS = 32;

    private Mixes() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (boolean waits : new boolean[] {true, false}) {
            for (double load : new double[] {0.6, 2}) {
                for (double share : new double[] {0.002, 0.01, 0.05}) {
                    for (int times : new int[] {20, 100, 500}) {
                        all.add(mix(share, times, load, waits));
                    }
                }
            }
        }
        return all;
    }

    /* The load is of the workers, so what waits is no part of it. */
    private static Scenario mix(double share, int times, double load, boolean waits) {
        double longMillis = times * SHORT_MILLIS;
        List<Work> work = List.of(
                Work.exponential(1 - share, SHORT_MILLIS),
                new Work(share, "lognormal", longMillis, 0.5, new Apart(5 * longMillis + TIMEOUT, waits)));
        double busyMillis = (1 - share) * SHORT_MILLIS + (waits ? 0 : share * longMillis);
        Steps arrivals = Steps.always(load * WORKERS * 1e3 / busyMillis);
        String name = (waits ? "wait_" : "work_") + 100 * share + "%_" + times + "x_load_" + load;
        return Scenario.plain(
                name.replace(".0%", "%").replaceAll("\\.0$", ""), 60, TIMEOUT, arrivals, work, Cpu.workers(WORKERS));
    }
}
