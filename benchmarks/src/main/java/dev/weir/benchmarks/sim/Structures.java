package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Backoff;
import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Dependency;
import dev.weir.benchmarks.sim.Scenario.Mix;
import dev.weir.benchmarks.sim.Work.Apart;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Services drawn at random, of structures of their own: the stations, the service times, what arrives and what changes
 * are all drawn. No controller is tuned to them: a seed that has been looked at is a known one.
 */
final class Structures {
    private static final int COUNT = 24;
    private static final double MIN_RATE = 20;
    private static final double MAX_RATE = 2500;
    private static final double REQUESTS = 100_000;

    private final SplittableRandom random;
    private final StringBuilder name;

    private Structures(long seed, int number) {
        random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + number);
        name = new StringBuilder("s" + seed + "." + number);
    }

    static List<Scenario> of(long seed) {
        return IntStream.rangeClosed(1, COUNT)
                .mapToObj(number -> new Structures(seed, number).scenario())
                .toList();
    }

    private Scenario scenario() {
        Server server = server();
        double wanted = server.rate() * between(0.6, 2.5);
        double seconds = Math.max(60, Math.min(240, REQUESTS / wanted));
        Steps changes = changes(seconds);
        boolean cores = server.cpu.shared() && changes.min() >= 0.3 && chance(0.3);
        Dependency below = server.dependency;
        boolean slows = below != null && chance(0.5) && changes.min() > 0;
        Cpu cpu = slows ? server.cpu : changed(server.cpu, changes, cores);
        Dependency dependency =
                slows ? new Dependency(below.meanMillis(), below.connections(), Steps.always(1), changes) : below;
        Steps arrivals = arrivals(wanted, seconds);
        int retries = chance(0.15) ? 1 + random.nextInt(3) : 0;
        Steps drops = chance(0.12) ? named("drops", Steps.always(between(0.03, 0.5))) : null;
        double timeout = between(6, 25) * (server.meanMillis() + server.dependencyMillis());
        List<Work> work = chance(0.15) ? withPolls(server.work, timeout) : server.work;
        return new Scenario(
                name.toString(),
                seconds,
                timeout,
                arrivals,
                List.of(new Mix(0, work)),
                cpu,
                dependency,
                retries,
                List.of(1.0),
                knee(server, slows ? Steps.always(1) : changes),
                drops,
                retries == 0 ? null : new Backoff(timeout * between(0.2, 1), random.nextDouble()),
                null);
    }

    /** A server: its workers, its work, and the rate at which it does it at most. */
    private record Server(
            Cpu cpu, @Nullable Dependency dependency, List<Work> work, double meanMillis, double workers, double rate) {
        double dependencyMillis() {
            return dependency == null ? 0 : dependency.meanMillis();
        }
    }

    private Server server() {
        boolean shared = chance(0.5);
        double cores = Math.rint(between(2, 64));
        name.append(shared ? " shared " : " workers ").append((int) cores);
        double turn = shared && chance(0.5) ? cores * between(1, 3) : 0;
        double kappa = turn == 0 ? 0 : between(0.2, 1) / (turn * turn);
        double sigma = turn == 0 ? 0 : between(1e-4, 0.03);
        name.append(turn == 0 ? "" : " contended");
        Cpu cpu = new Cpu(shared, Steps.always(cores), Steps.always(1), sigma, kappa);
        double workers = best(cpu);
        double peak = cpu.done(workers);
        double meanMillis = Math.max(1e3 * peak / MAX_RATE, Math.min(1e3 * peak / MIN_RATE, between(3, 300)));
        double rate = 1e3 * peak / meanMillis;
        if (!chance(0.4)) {
            return new Server(cpu, null, work(meanMillis), meanMillis, workers, rate);
        }
        double behind = meanMillis * between(0.3, 10);
        int connections = chance(0.5) ? 0 : (int) Math.ceil(rate * behind / 1e3 * between(0.5, 2));
        name.append(connections == 0 ? " waits" : " pool");
        Dependency dependency = new Dependency(behind, connections, Steps.always(1), Steps.always(1));
        double through = connections == 0 ? rate : Math.min(rate, connections / behind * 1e3);
        return new Server(cpu, dependency, work(meanMillis), meanMillis, workers, through);
    }

    /** The concurrency at which most is done. */
    private static double best(Cpu cpu) {
        int best = 1;
        for (int n = 2; n <= 64; n++) {
            best = cpu.done(n) > cpu.done(best) ? n : best;
        }
        return best;
    }

    private List<Work> work(double mean) {
        switch (random.nextInt(5)) {
            case 0:
                return List.of(named("constant", new Work(1, "constant", mean, 0)));
            case 1:
                return List.of(named("exponential", Work.exponential(1, mean)));
            case 2:
                return List.of(named("lognormal", new Work(1, "lognormal", mean, between(0.4, 1.6))));
            case 3:
                return List.of(named("uniform", new Work(1, "uniform", mean, random.nextDouble())));
            default:
                name.append(" bimodal");
                double share = between(0.01, 0.4);
                double times = between(3, 50);
                double first = mean / (1 - share + share * times);
                String kind = chance(0.5) ? "exponential" : "constant";
                return List.of(new Work(1 - share, kind, first, 0), new Work(share, kind, times * first, 0));
        }
    }

    /* The work that holds workers becomes no more than it was: the polls come in place of some of it. */
    private List<Work> withPolls(List<Work> work, double timeoutMillis) {
        name.append(" polls");
        double share = between(0.002, 0.05);
        double millis = timeoutMillis * between(2, 20);
        List<Work> all = new ArrayList<>(
                work.stream().map(w -> w.of(w.share() * (1 - share))).toList());
        all.add(new Work(share, "lognormal", millis, between(0.1, 0.8), new Apart(10 * millis, true)));
        return all;
    }

    private Steps arrivals(double rate, double seconds) {
        double low = between(0.2, 0.8);
        switch (random.nextInt(5)) {
            case 0:
                return named("step", Steps.between(rate * low, seconds * 0.3, rate, seconds * 0.7));
            case 1:
                double period = seconds / between(1, 4);
                double swing = between(0.2, 0.8);
                Steps wave = Steps.every(0.5, seconds, t -> 1 - swing * StrictMath.cos(2 * Math.PI * t / period));
                return named("wave", wave.times(rate));
            case 2:
                double every = between(3, 20);
                double on = between(0.1, 0.5);
                Steps bursts = Steps.every(0.5, seconds, t -> t % every < on * every ? 1 : low);
                return named("bursts", bursts.times(rate));
            case 3:
                return named("ramp", Steps.every(1, seconds, t -> rate * (low + (1.2 - low) * t / seconds)));
            default:
                return Steps.always(rate);
        }
    }

    /** Of speed or cores, as a share of all. */
    private Steps changes(double seconds) {
        double low = between(0.25, 0.8);
        switch (random.nextInt(8)) {
            case 0:
                return named("slower", Steps.between(1, seconds * between(0.2, 0.5), low, seconds * between(0.6, 0.9)));
            case 1:
                return named("faster", Steps.between(low, seconds * 0.35, 1, seconds * 0.75));
            case 2:
                double every = between(2, 8);
                return named("jumps", Steps.every(every, seconds, t -> low + (1 - low) * random.nextDouble()));
            case 3:
                double pause = between(0.1, 1);
                return named("pauses", Steps.every(pause, seconds, t -> t % 10 > 10 - 1.01 * pause ? 0 : 1));
            default:
                return Steps.always(1);
        }
    }

    private static Cpu changed(Cpu cpu, Steps changes, boolean cores) {
        Steps all = changes.times(cpu.cores().value(0));
        return cores
                ? new Cpu(cpu.shared(), all.rounded(), cpu.speed(), cpu.sigma(), cpu.kappa())
                : new Cpu(cpu.shared(), cpu.cores(), changes, cpu.sigma(), cpu.kappa());
    }

    /* By Little's law, what works plus what waits behind; a slower server needs as many workers, but less waits. */
    private static Steps knee(Server server, Steps changes) {
        double working = Math.min(server.workers, server.rate * server.meanMillis / 1e3 * 1.2);
        double behind = server.rate * server.dependencyMillis() / 1e3;
        return changes.map(change -> Math.max(1, working + behind * change));
    }

    private <T> T named(String what, T value) {
        name.append(' ').append(what);
        return value;
    }

    private boolean chance(double share) {
        return random.nextDouble() < share;
    }

    private double between(double min, double max) {
        return Draws.between(random, min, max);
    }
}
