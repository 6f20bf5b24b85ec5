package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Backoff;
import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Dependency;
import dev.weir.benchmarks.sim.Scenario.Mix;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Each of the known scenarios with its cores, service times, load, time-out and time between retries rescaled. */
final class Variants {
    private static final int OF_EACH = 3;
    private static final double RETRY_JITTER = 0.5;

    private Variants() {}

    static List<Scenario> of(long seed) {
        List<Scenario> variants = new ArrayList<>();
        for (Scenario scenario : Scenarios.all(seed)) {
            SplittableRandom random =
                    new SplittableRandom(seed ^ scenario.name().hashCode() * 0x9E3779B97F4A7C15L);
            for (int i = 1; i <= OF_EACH; i++) {
                variants.add(variant(
                        scenario,
                        scenario.name() + "#" + i,
                        Draws.between(random, 0.5, 2),
                        Draws.between(random, 0.5, 2),
                        Draws.between(random, 0.8, 1.25),
                        Draws.between(random, 0.7, 1.5)));
            }
        }
        return variants;
    }

    private static Scenario variant(Scenario s, String name, double size, double slow, double load, double timeout) {
        Cpu cpu = new Cpu(
                s.cpu().shared(),
                s.cpu().cores().times(size).rounded(),
                s.cpu().speed(),
                s.cpu().sigma(),
                s.cpu().kappa());
        double capacity = peak(cpu) / peak(s.cpu());
        Dependency d = s.dependency();
        List<Mix> mixes = s.mixes().stream()
                .map(mix -> new Mix(
                        mix.from(),
                        mix.work().stream()
                                .map(w -> new Work(
                                        w.share(), w.distribution(), w.meanMillis() * slow, w.sigma(), w.apart()))
                                .toList()))
                .toList();
        return new Scenario(
                name,
                s.seconds(),
                s.timeoutMillis() * slow * timeout,
                s.arrivals().times(capacity / slow * load),
                mixes,
                cpu,
                d == null
                        ? null
                        : new Dependency(
                                d.meanMillis() * slow,
                                (int) Math.round(d.connections() * capacity),
                                d.slowness(),
                                d.speed()),
                s.retries(),
                s.classes(),
                s.knee().value(0) == s.cpu().cores().value(0)
                        ? cpu.cores()
                        : s.knee().times(capacity).rounded(),
                s.drops(),
                s.retries() == 0 ? null : new Backoff(Backoff.USUAL.millis() * slow * timeout, RETRY_JITTER),
                null);
    }

    /** The most that is done at once. */
    private static double peak(Cpu cpu) {
        double best = 0;
        for (int n = 1; n <= 2000; n++) {
            best = Math.max(best, cpu.done(n));
        }
        return best;
    }
}
