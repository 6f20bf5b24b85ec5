package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Dependency;
import dev.weir.benchmarks.sim.Work.Apart;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;

/**
 * The scenarios of services that have other troubles than overload: long calls, limits and breakers below, outages,
 * neighbours, more servers.
 */
final class Services {
    /** The one with a bar of its own. */
    static final String DROPPING = "nested_30%_0.7x";

    private static final double SHORT_MILLIS = 20;
    private static final int WORKERS = 16;
    private static final double CAPACITY = WORKERS * 1e3 / SHORT_MILLIS;

    private Services() {}

    static List<Scenario> all(long seed) {
        return List.of(
                polls("polls_0.6x", 0.6),
                polls("polls_2x", 2),
                streams(),
                reports("reports_0.75x", 400),
                reports("reports_1.5x", 1000),
                bimodal(),
                nested(0.05, 0.7),
                nested(0.15, 0.7),
                nested(0.3, 0.7),
                nested(0.6, 0.7),
                nested(0.9, 0.7),
                nested(0.3, 1.5),
                breaker(),
                outage("outage_5s", 5),
                outage("outage_40s", 40),
                slow("stop_5s", 0, 5),
                slow("stop_20s", 0, 20),
                slow("slow_40s", 0.1, 40),
                leak(),
                autoscaling(),
                fanOut(),
                flashOnDiurnal(),
                sharedDatabase(seed));
    }

    private static Scenario of(String name, double seconds, Steps arrivals, List<Work> work, Cpu cpu) {
        return Scenario.plain(name, seconds, 400, arrivals, work, cpu);
    }

    private static Cpu workers(int count, Steps speed) {
        return new Cpu(false, Steps.always(count), speed, 0, 0);
    }

    private static List<Work> shortCalls() {
        return List.of(Work.exponential(1, SHORT_MILLIS));
    }

    /* 5 % of the calls wait 25 to 30 s for something to happen: 27.5 s x 5 % of the arrivals are in flight. */
    private static Scenario polls(String name, double load) {
        List<Work> work = List.of(
                Work.exponential(0.95, SHORT_MILLIS),
                new Work(0.05, "uniform", 27_500, 1 / 11.0, new Apart(60_000, true)));
        return of(name, 120, Steps.always(load * CAPACITY / 0.95), work, Cpu.workers(WORKERS));
    }

    private static Scenario streams() {
        List<Work> work = List.of(
                Work.exponential(0.99, SHORT_MILLIS),
                new Work(0.01, "lognormal", 60_000, 0.8, new Apart(1_200_000, true)));
        return of("streams_0.7x", 180, Steps.always(0.7 * CAPACITY / 0.99), work, Cpu.workers(WORKERS));
    }

    /* 2 a second take 5 s and hold a worker: 10 of 24; what is left does 700 short calls a second. */
    private static Scenario reports(String name, double shortRate) {
        double share = 2 / (shortRate + 2);
        List<Work> work = List.of(
                Work.exponential(1 - share, SHORT_MILLIS),
                new Work(share, "lognormal", 5000, 0.3, new Apart(30_000, false)));
        return of(name, 90, Steps.always(shortRate + 2), work, Cpu.workers(24));
    }

    /* A mean of 59 ms: 542 a second. */
    private static Scenario bimodal() {
        List<Work> work = List.of(Work.exponential(0.9, 10), Work.exponential(0.1, 500));
        return Scenario.plain("bimodal_1.3x", 90, 2500, Steps.always(1.3 * 542), work, Cpu.workers(32));
    }

    /* The load is what passes the limiter below. */
    private static Scenario nested(double share, double load) {
        Steps rate = Steps.always(load * CAPACITY / (1 - share));
        String name = "nested_" + Math.round(100 * share) + "%_" + load + "x";
        return of(name, 60, rate, shortCalls(), Cpu.workers(WORKERS)).with(it -> it.drops = Steps.always(share));
    }

    /* Ten times slower from 30 to 60 s: a breaker opens after 2 s for 5 s, lets 10 % try for half a second, and so on. */
    private static Scenario breaker() {
        List<Double> at = new ArrayList<>(List.of(0.0));
        List<Double> share = new ArrayList<>(List.of(0.0));
        for (double open = 32; open < 60; open += 5.5) {
            at.addAll(List.of(open, open + 5));
            share.addAll(List.of(1.0, 0.9));
        }
        at.add(65.0);
        share.add(0.0);
        Cpu cpu = workers(WORKERS, Steps.between(1, 30, 0.1, 60));
        return of("breaker", 100, Steps.always(0.8 * CAPACITY), shortCalls(), cpu)
                .with(it -> it.drops = new Steps(at, share));
    }

    private static Scenario outage(String name, double seconds) {
        Steps drops = Steps.between(0, 30, 1, 30 + seconds);
        return of(name, 60 + seconds, Steps.always(0.8 * CAPACITY), shortCalls(), Cpu.workers(WORKERS))
                .with(it -> it.drops = drops);
    }

    private static Scenario slow(String name, double speed, double seconds) {
        Cpu cpu = workers(WORKERS, Steps.between(1, 30, speed, 30 + seconds));
        return of(name, 60 + seconds, Steps.always(0.8 * CAPACITY), shortCalls(), cpu);
    }

    /* Over an hour the server falls to 0.4 of what it was, of which 0.8 is asked. */
    private static Scenario leak() {
        Steps speed = Steps.every(30, 3600, t -> 1 - 0.6 * t / 3600);
        return Scenario.plain(
                "leak_1h", 3600, 800, Steps.always(80), List.of(Work.exponential(1, 40)), workers(4, speed));
    }

    /* Workers are added 20 to 60 s after the load has grown, and taken away after it has fallen. */
    private static Scenario autoscaling() {
        Steps workers = new Steps(List.of(0.0, 50.0, 65.0, 90.0, 160.0), List.of(8.0, 12.0, 18.0, 26.0, 8.0));
        Cpu cpu = new Cpu(false, workers, Steps.always(1), 0, 0);
        return of("autoscaling", 190, Steps.between(280, 30, 1000, 140), shortCalls(), cpu);
    }

    /* 5,000 a second, each of which waits 200 ms for others. */
    private static Scenario fanOut() {
        return Scenario.plain("fan_out", 40, 2000, Steps.always(5000), List.of(Work.exponential(1, 2)), Cpu.workers(16))
                .with(it -> {
                    it.dependency = new Dependency(200, 0, Steps.always(1), Steps.always(1));
                    it.knee = Steps.always(1010);
                });
    }

    private static Scenario flashOnDiurnal() {
        DoubleUnaryOperator curve = t -> 1200 * (0.55 - 0.25 * StrictMath.cos(2 * Math.PI * t / 100));
        Steps arrivals = Steps.every(0.5, 200, t -> curve.applyAsDouble(t) * (t >= 120 && t < 135 ? 5 : 1));
        return of("flash_on_diurnal", 200, arrivals, shortCalls(), Cpu.workers(24));
    }

    /* Another instance takes 10 to 70 % of the database, other each 4 s. */
    private static Scenario sharedDatabase(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Steps speed = Steps.every(4, 120, t -> 0.3 + 0.6 * random.nextDouble());
        return of("shared_database", 120, Steps.always(900), List.of(Work.exponential(1, 4)), Cpu.workers(WORKERS))
                .with(it -> {
                    it.dependency = new Dependency(20, 24, Steps.always(1), speed);
                    it.knee = Steps.always(27);
                });
    }
}
