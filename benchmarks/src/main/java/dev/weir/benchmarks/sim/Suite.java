package dev.weir.benchmarks.sim;

import dev.weir.Ticker;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** All contenders in all rounds, many rounds at a time; what comes of it does not depend on how many. */
final class Suite {
    /** A scenario with its arrivals drawn once for all. */
    record Round(Scenario scenario, long seed) {}

    private final List<Contender> contenders;
    private final Oracles oracles;
    private final PrintStream progress;
    private final Ticker ticker = Ticker.system();
    private final AtomicInteger ended = new AtomicInteger();
    private volatile long begun;

    Suite(List<Contender> contenders, Oracles oracles, PrintStream progress) {
        this.contenders = List.copyOf(contenders);
        this.oracles = oracles;
        this.progress = progress;
    }

    /** In the order of the rounds, and within one of the contenders. */
    List<Result> run(List<Round> rounds, int threads) {
        begun = ticker.read();
        ExecutorService workers = Executors.newFixedThreadPool(threads);
        try {
            List<Future<List<Result>>> running = new ArrayList<>();
            for (Round round : rounds) {
                running.add(workers.submit(() -> timed(round, rounds.size())));
            }
            List<Result> results = new ArrayList<>();
            for (Future<List<Result>> each : running) {
                results.addAll(each.get());
            }
            return results;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } finally {
            workers.shutdownNow();
        }
    }

    private List<Result> timed(Round round, int of) {
        long start = ticker.read();
        List<Result> results = results(round);
        long now = ticker.read();
        int done = ended.incrementAndGet();
        progress.printf(
                "%d/%d %s, seed %d: %.1f s, about %s left%n",
                done,
                of,
                round.scenario().name(),
                round.seed(),
                (now - start) / 1e9,
                spoken((double) (now - begun) / done * (of - done)));
        return results;
    }

    /** In seconds, or minutes where that is enough. */
    static String spoken(double nanos) {
        long seconds = Math.round(nanos / 1e9);
        return seconds < 100 ? seconds + " s" : Math.round(seconds / 60.0) + " min";
    }

    private List<Result> results(Round round) {
        Scenario scenario = round.scenario();
        Arrivals arrivals = new Arrivals(scenario, round.seed());
        int best = oracles.goodput(scenario, arrivals, round.seed());
        List<Result> results = new ArrayList<>();
        for (Contender contender : contenders) {
            Doorman doorman = Doormen.of(contender, scenario, round.seed());
            boolean isFleet = scenario.fleet() != null;
            Trail trail = isFleet || Recovery.asked(scenario) ? Trail.fine(scenario) : null;
            Run.Outcome outcome = new Run(scenario, arrivals, doorman, trail).outcome();
            results.add(new Result(
                    scenario.name(),
                    round.seed(),
                    contender.name(),
                    outcome.goodput() / Math.max(1.0, best),
                    outcome.p99() == 0 ? Double.NaN : outcome.p99() / arrivals.aloneP99,
                    outcome.p50() == 0 ? Double.NaN : outcome.p50() / arrivals.aloneP50,
                    outcome.refusedShare(),
                    scenario.waits() ? beside(round, contender, outcome) : Double.NaN,
                    trail == null ? Double.NaN : Recovery.seconds(scenario, trail),
                    trail == null || !isFleet ? Steadiness.UNKNOWN : Steadiness.of(scenario, trail)));
        }
        return results;
    }

    private static double beside(Round round, Contender contender, Run.Outcome outcome) {
        Scenario rest = round.scenario().withoutWaiting();
        Doorman doorman = Doormen.of(contender, rest, round.seed());
        Arrivals arrivals = new Arrivals(rest, round.seed());
        return outcome.usual()
                / Math.max(1.0, new Run(rest, arrivals, doorman, null).outcome().goodput());
    }
}
