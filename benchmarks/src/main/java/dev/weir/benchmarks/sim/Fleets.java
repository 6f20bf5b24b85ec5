package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Dependency;
import dev.weir.benchmarks.sim.Scenario.Fleet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Several instances before one server, each with a limit of its own that knows of no other. The server, its load and the
 * time-out of callers are drawn for each seed.
 */
final class Fleets {
    private static final double REQUESTS = 60_000;

    private final long seed;

    private Fleets(long seed) {
        this.seed = seed;
    }

    static List<Scenario> of(long seed) {
        Fleets fleets = new Fleets(seed);
        return List.of(
                fleets.alike(1),
                fleets.alike(2),
                fleets.alike(3),
                fleets.alike(8),
                fleets.alike(64),
                fleets.of("unequal_8", 1, Fleet.of(halved(8)), null),
                fleets.of("one_joins_4", 1, Fleet.of(changing(4, Steps.between(0, 60, 1, 1e6))), null),
                fleets.of("one_leaves_4", 1, Fleet.of(changing(4, Steps.between(1, 60, 0, 1e6))), null),
                fleets.farAway(),
                fleets.limited(),
                fleets.slowDependency(),
                fleets.told(),
                fleets.of("long_8", 600, Fleet.of(8), null));
    }

    private Scenario alike(int instances) {
        return of("alike_" + instances, 1, Fleet.of(instances), null);
    }

    /** The calls of one of four are on their way for three times as long as the server takes; the others are near. */
    private Scenario farAway() {
        return of("one_slow_4", 1, new Fleet(Fleet.of(4).shares(), List.of(3.0, 0.0, 0.0, 0.0), 0, false), null);
    }

    /** The server has a limit of its own, twice its workers, and refuses the rest at once. */
    private Scenario limited() {
        Fleet alike = Fleet.of(4);
        return of("limited_4", 1, new Fleet(alike.shares(), alike.awayMillis(), 2, false), null);
    }

    private Scenario told() {
        Fleet alike = Fleet.of(8);
        return of("told_8", 1, new Fleet(alike.shares(), alike.awayMillis(), 0, true), null);
    }

    private Scenario slowDependency() {
        return of(
                "dependency_4", 1, Fleet.of(4), new Dependency(20, 0, Steps.between(1, 60, 10, 1e6), Steps.always(1)));
    }

    private static List<Steps> halved(int instances) {
        return IntStream.range(0, instances)
                .mapToObj(i -> Steps.always(Math.pow(0.5, i)))
                .toList();
    }

    private static List<Steps> changing(int instances, Steps last) {
        List<Steps> all = new ArrayList<>(Collections.nCopies(instances - 1, Steps.always(1)));
        all.add(last);
        return all;
    }

    /** With this fleet, whose times are multiples of the mean and whose limit is one of the workers, for at least so many seconds. */
    private Scenario of(String name, double seconds, Fleet fleet, @Nullable Dependency dependency) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + name.hashCode());
        // A limit is at least 1, so the server of many instances must be larger.
        double workers = Math.rint(
                Draws.between(random, 8, 48) * Math.max(1, fleet.shares().size() / 16.0));
        double meanMillis = Draws.between(random, 20, 160);
        double capacity = 1e3 * workers / meanMillis;
        double rate = capacity * Draws.between(random, 1.1, 2);
        double behind = dependency == null ? 0 : dependency.meanMillis();
        double slow = dependency == null ? 1 : dependency.slowness().max();
        double wholly = Math.max(seconds, Math.max(120, Math.min(240, REQUESTS / rate)));
        double onTheWay = fleet.awayMillis().stream()
                .mapToDouble(times -> times)
                .average()
                .orElse(0);
        Steps knee = dependency == null
                ? Steps.always(workers * (1 + onTheWay))
                : dependency.slowness().map(times -> workers + capacity * behind * times / 1e3);
        double timeout = (meanMillis + behind * slow) * Draws.between(random, 6, 15);
        List<Work> work = List.of(Work.exponential(1, meanMillis));
        List<Double> away =
                fleet.awayMillis().stream().map(times -> times * meanMillis).toList();
        return Scenario.plain(name, wholly, timeout, Steps.always(rate), work, Cpu.workers(workers))
                .with(it -> {
                    it.dependency = dependency;
                    it.knee = knee;
                    it.fleet = new Fleet(fleet.shares(), away, (int) (fleet.most() * workers), fleet.tellsLate());
                });
    }
}
