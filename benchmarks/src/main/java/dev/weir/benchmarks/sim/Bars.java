package dev.weir.benchmarks.sim;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** What the default controller has to reach, and whether it did. */
final class Bars {
    private final List<Result> results;
    private final Table table = new Table(List.of("bar", "wanted", "was", "verdict"));

    private Bars(List<Result> results) {
        this.results = results;
    }

    /** Over the scenarios. */
    static String suite(List<Result> results) {
        Bars bars = new Bars(results);
        bars.least("weir: GM goodput", 0.965, bars.mean("weir"));
        bars.least("weir: worst goodput", 0.87, bars.worst("weir"));
        bars.most("weir: GM p99 ratio", 2.0, Report.mean(bars.of("weir"), Result::p99Ratio));
        bars.least("weir+queue: GM goodput", 0.975, bars.mean("weir+queue"));
        bars.least("weir+queue: worst goodput", 0.90, bars.worst("weir+queue"));
        List<String> peers = Peers.ALL.stream().map(Peers.Peer::name).toList();
        for (Contender ours : Contender.OURS) {
            bars.ahead(ours.name(), "GM goodput", peers, bars::mean);
            bars.ahead(ours.name(), "worst goodput", peers, bars::worst);
        }
        return bars.table.toString();
    }

    /** Over their variants. */
    static String variants(List<Result> results) {
        Bars bars = new Bars(results);
        for (Contender ours : Contender.OURS) {
            bars.least(ours.name() + ": GM goodput of the variants", 0.96, bars.mean(ours.name()));
            bars.least(ours.name() + ": 5th percentile of the variants", 0.92, bars.fifthPercentile(ours.name()));
        }
        return bars.table.toString();
    }

    private Stream<Result> of(String algorithm) {
        return results.stream().filter(result -> result.algorithm().equals(algorithm));
    }

    private double mean(String algorithm) {
        return Report.mean(of(algorithm), Result::goodputRatio);
    }

    private double worst(String algorithm) {
        return of(algorithm).mapToDouble(Result::goodputRatio).min().orElse(Double.NaN);
    }

    /* The nearest rank. */
    private double fifthPercentile(String algorithm) {
        double[] sorted =
                of(algorithm).mapToDouble(Result::goodputRatio).sorted().toArray();
        return sorted.length == 0 ? Double.NaN : sorted[(sorted.length + 19) / 20 - 1];
    }

    private void ahead(String ours, String what, List<String> peers, ToDoubleFunction<String> score) {
        peers.stream()
                .filter(peer -> of(peer).findAny().isPresent())
                .max(Comparator.comparingDouble(score))
                .ifPresent(best -> row(
                        ours + ": " + what + " ahead of the best peer's, " + best,
                        ">",
                        score.applyAsDouble(best),
                        score.applyAsDouble(ours),
                        score.applyAsDouble(ours) > score.applyAsDouble(best)));
    }

    private void least(String what, double wanted, double was) {
        row(what, ">=", wanted, was, was >= wanted);
    }

    private void most(String what, double wanted, double was) {
        row(what, "<=", wanted, was, was <= wanted);
    }

    private void row(String what, String relation, double wanted, double was, boolean met) {
        if (!Double.isNaN(was)) {
            table.row(List.of(what, relation + " " + number(wanted), number(was), met ? "met" : "MISSED"));
        }
    }

    /* Four digits, so that what is missed narrowly does not look met. */
    private static String number(double value) {
        return String.format(Locale.ROOT, "%.4f", value);
    }
}
