package dev.weir.benchmarks.sim;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The targets that the default controller has to reach, and a check of each. */
final class Bars {
    private final List<Result> results;
    private final Table table = new Table(List.of("bar", "wanted", "was", "verdict"));

    private Bars(List<Result> results) {
        this.results = results;
    }

    /** @param clocks how far the clock of each instance was wrong at most, in milliseconds */
    static String of(ScenarioSet set, List<Result> results, long clocks) {
        Bars bars = new Bars(results);
        for (String start : bars.starts()) {
            switch (set) {
                case SUITE -> bars.suite(start);
                case SERVICES -> bars.services(start);
                case MIXES -> bars.mixes(start);
                case VARIANTS -> bars.many(start, 0.96, 0.92);
                case STRUCTURES -> bars.many(start, 0.97, 0.93);
                case FLEET -> bars.fleet(start, clocks);
                case QUIET -> bars.quiet(start);
                case STARTS -> bars.starting(start);
                case BURSTS -> bars.bursts(start);
                case CLIFFS -> bars.min("weir" + start + ": worst goodput", 0.85, bars.worst("weir" + start));
            }
        }
        return bars.table.toString();
    }

    /* Nothing, or an at sign and the first limit. */
    private List<String> starts() {
        return results.stream()
                .map(Result::algorithm)
                .filter(name -> name.startsWith("weir"))
                .map(name -> name.contains("@") ? name.substring(name.indexOf('@')) : "")
                .distinct()
                .toList();
    }

    private void suite(String start) {
        String plain = "weir" + start;
        String alone = "weir-alone" + start;
        min(plain + ": GM goodput", 0.955, mean(plain));
        min(plain + ": worst goodput", 0.85, worst(plain));
        min(plain + ": dep_slow_10x, the least", 0.95, least(plain, "dep_slow_10x"));
        min(alone + ": GM goodput", 0.978, mean(alone));
        min(alone + ": worst goodput", 0.91, worst(alone));
        max(plain + ": GM p99 ratio", 2.0, Report.mean(of(plain), Result::p99Ratio));
        min("weir+fifo" + start + ": GM goodput", 0.98, mean("weir+fifo" + start));
        min("weir+queue" + start + ": GM goodput", 0.975, mean("weir+queue" + start));
        min("weir+queue" + start + ": worst goodput", 0.90, worst("weir+queue" + start));
        aheadOfPeers(start);
    }

    private void services(String start) {
        String plain = "weir" + start;
        min(plain + ": GM goodput", 0.965, mean(plain));
        min(plain + ": worst goodput", 0.86, worst(plain));
        min(plain + ": 30 % dropped below at 0.7 of the load, the least", 0.97, least(plain, Services.DROPPING));
        results.stream()
                .filter(result -> result.algorithm().equals(plain) && !Double.isNaN(result.recovery()))
                .collect(Collectors.groupingBy(Result::scenario, LinkedHashMap::new, Collectors.toList()))
                .forEach((scenario, each) -> max(
                        plain + ": seconds to recover, " + scenario,
                        3,
                        each.stream().mapToDouble(Result::recovery).max().orElseThrow()));
        aheadOfPeers(start);
    }

    private void aheadOfPeers(String start) {
        List<String> peers = Peers.ALL.stream().map(Peers.Peer::name).toList();
        for (Contender ours : Contender.OURS) {
            ahead(ours.name() + start, "GM goodput", peers, this::mean);
            ahead(ours.name() + start, "worst goodput", peers, this::worst);
        }
    }

    private void mixes(String start) {
        String plain = "weir" + start;
        max(plain + ": refused at 60 % load, the most", 0.01, greatest(plain, "_0.6", Result::refused));
        min(
                plain + ": short calls at twice the load, to those without the long ones, the least",
                0.9,
                -greatest(plain, "_2", result -> -result.beside()));
        min(plain + ": GM goodput", 0.97, mean(plain));
        min(plain + ": worst goodput", 0.88, worst(plain));
    }

    private void many(String start, double mean, double fifth) {
        for (Contender ours : Contender.OURS) {
            String name = ours.name() + start;
            min(name + ": GM goodput", mean, mean(name));
            min(name + ": 5th percentile", fifth, fifthPercentile(name));
        }
    }

    /* Dips that are 500 ms apart still help; what comes of clocks that are further apart is not judged. */
    private void fleet(String start, long clocks) {
        String plain = "weir" + start;
        if (clocks <= Weir.CLOCKS) {
            min(plain + ": GM goodput", 0.95, mean(plain));
            min(plain + ": worst goodput", 0.70, worst(plain));
            max(plain + ": in flight in the last half to the knee, the most", 7, greatest(plain, "", Result::inFlight));
        } else if (clocks <= 500) {
            min(plain + ": GM goodput, clocks wrong by up to " + clocks + " ms", 0.90, mean(plain));
        }
    }

    private void quiet(String start) {
        String plain = "weir" + start;
        min(plain + ": GM goodput", 0.998, mean(plain));
        for (String load : List.of("at_0.4x", "at_0.6x", "at_0.7x")) {
            max(plain + ": refused, " + load + ", the most", 0.001, greatest(plain, load, Result::refused));
        }
    }

    private void starting(String start) {
        String plain = "weir" + start;
        max(plain + ": refused at 0.7 of the capacity, the most", 0.02, greatest(plain, "at_0.7x", Result::refused));
        min(plain + ": worst goodput", 0.95, worst(plain));
    }

    private void bursts(String start) {
        String queued = "weir+queue" + start;
        min(queued + ": GM goodput", 0.9, mean(queued));
        told(queued + ": worst goodput", worst(queued));
    }

    private double greatest(String algorithm, String load, ToDoubleFunction<Result> of) {
        return of(algorithm)
                .filter(result -> result.scenario().endsWith(load))
                .mapToDouble(of)
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(Double.NaN);
    }

    private double least(String algorithm, String scenario) {
        return of(algorithm)
                .filter(result -> result.scenario().equals(scenario))
                .mapToDouble(Result::goodputRatio)
                .min()
                .orElse(Double.NaN);
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

    private void min(String what, double wanted, double was) {
        row(what, ">=", wanted, was, was >= wanted);
    }

    private void max(String what, double wanted, double was) {
        row(what, "<=", wanted, was, was <= wanted);
    }

    private void row(String what, String relation, double wanted, double was, boolean met) {
        if (!Double.isNaN(was)) {
            table.row(List.of(what, relation + " " + number(wanted), number(was), met ? "met" : "MISSED"));
        }
    }

    /* Without a bar. */
    private void told(String what, double was) {
        if (!Double.isNaN(was)) {
            table.row(List.of(what, "-", number(was), "-"));
        }
    }

    /* Four digits, so that what is missed narrowly does not look met. */
    private static String number(double value) {
        return String.format(Locale.ROOT, "%.4f", value);
    }
}
