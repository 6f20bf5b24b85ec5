package dev.weir.benchmarks.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tables over all results, in the order in which scenarios and algorithms first appear. With several seeds a cell
 * is the geometric mean over them.
 */
final class Report {
    private static final int ACROSS = 9;

    private final List<Result> results;
    private final List<String> scenarios;
    private final List<String> algorithms;

    Report(List<Result> results) {
        this.results = List.copyOf(results);
        scenarios = results.stream().map(Result::scenario).distinct().toList();
        algorithms = results.stream().map(Result::algorithm).distinct().toList();
    }

    /** All tables, as Markdown. */
    String markdown() {
        return "## Goodput to the oracle's\n\n" + table(Result::goodputRatio, Report::mean)
                + "\n## p99 of what was admitted to p99 alone\n\n" + table(Result::p99Ratio, Report::mean)
                + "\n## Score\n\n" + score() + beside() + steadiness();
    }

    /* Only where instances are told nothing of late calls. */
    private String steadiness() {
        if (results.stream().allMatch(result -> Double.isNaN(result.inFlight()))) {
            return "";
        }
        return "\n## Refused share of the attempts\n\n" + table(Result::refused, Report::average)
                + "\n## In flight in the last half, to the knee\n\n" + table(Result::inFlight, Report::average)
                + "\n## Drift in the last half\n\n" + table(Result::drift, Report::average)
                + "\n## Moves of the limit above 5 % a minute\n\n" + table(Result::moves, Report::average);
    }

    /* Only where some calls hold no worker. */
    private String beside() {
        if (results.stream().allMatch(result -> Double.isNaN(result.beside()))) {
            return "";
        }
        return "\n## Refused share of the attempts\n\n" + table(Result::refused, Report::average)
                + "\n## Goodput of the short calls to that without those that hold no worker\n\n"
                + table(Result::beside, Report::mean);
    }

    /** With a head; what is not known is empty. */
    String csv() {
        return results.stream()
                .map(result -> String.join(
                        ",",
                        quoted(result.scenario()),
                        "" + result.seed(),
                        quoted(result.algorithm()),
                        exact(result.goodputRatio()),
                        exact(result.p99Ratio()),
                        exact(result.p50Ratio()),
                        exact(result.refused()),
                        exact(result.beside()),
                        exact(result.recovery()),
                        exact(result.inFlight()),
                        exact(result.drift()),
                        exact(result.moves())))
                .collect(Collectors.joining(
                        "\n",
                        "scenario,seed,algorithm,goodput_ratio,p99_ratio,p50_ratio,refused_share,short_goodput_ratio,"
                                + "recovery_seconds,in_flight_to_knee,drift,moves_per_minute\n",
                        "\n"));
    }

    private static String quoted(String text) {
        return text.matches("[^\",\r\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    private static String exact(double value) {
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%.6f", value);
    }

    /** One object a line: scenario, seed, algorithm, goodput_ratio, p99_ratio (null if nothing was admitted). */
    String json() {
        return results.stream().map(Report::json).collect(Collectors.joining(",\n", "[\n", "\n]\n"));
    }

    private static String json(Result result) {
        return String.format(
                Locale.ROOT,
                "{\"scenario\": %s, \"seed\": %d, \"algorithm\": %s, \"goodput_ratio\": %.6f, \"p99_ratio\": %s}",
                Json.quoted(result.scenario()),
                result.seed(),
                Json.quoted(result.algorithm()),
                result.goodputRatio(),
                Double.isNaN(result.p99Ratio()) ? "null" : String.format(Locale.ROOT, "%.6f", result.p99Ratio()));
    }

    /** Of several seeds one. */
    private interface Middle {
        double of(Stream<Result> some, ToDoubleFunction<Result> value);
    }

    private String table(ToDoubleFunction<Result> ratio, Middle middle) {
        List<String> parts = new ArrayList<>();
        for (int from = 0; from < algorithms.size(); from += ACROSS) {
            parts.add(table(ratio, middle, algorithms.subList(from, Math.min(algorithms.size(), from + ACROSS))));
        }
        return String.join("\n", parts);
    }

    private String table(ToDoubleFunction<Result> ratio, Middle middle, List<String> some) {
        Table table =
                new Table(Stream.concat(Stream.of("scenario"), some.stream()).toList());
        for (String scenario : scenarios) {
            List<String> cells = new ArrayList<>(List.of(scenario));
            for (String algorithm : some) {
                cells.add(number(middle.of(results.stream().filter(in(scenario).and(by(algorithm))), ratio)));
            }
            table.row(cells);
        }
        return table.toString();
    }

    private String score() {
        Table table = new Table(List.of(
                "algorithm",
                "GM goodput",
                "worst",
                "worst scenario",
                "2nd worst",
                "GM p99 ratio",
                "max p99 ratio",
                "GM p50 ratio"));
        for (String algorithm : algorithms) {
            List<Result> worst = worst(algorithm);
            Result first = worst.get(0);
            table.row(List.of(
                    algorithm,
                    number(mean(results.stream().filter(by(algorithm)), Result::goodputRatio)),
                    number(first.goodputRatio()),
                    first.scenario(),
                    worst.size() < 2
                            ? "-"
                            : worst.get(1).scenario() + " "
                                    + number(worst.get(1).goodputRatio()),
                    number(mean(results.stream().filter(by(algorithm)), Result::p99Ratio)),
                    number(max(Result::p99Ratio, by(algorithm))),
                    number(mean(results.stream().filter(by(algorithm)), Result::p50Ratio))));
        }
        return table.toString();
    }

    /** The least goodput of each scenario over its seeds, the worst first. */
    private List<Result> worst(String algorithm) {
        Comparator<Result> goodput = Comparator.comparingDouble(Result::goodputRatio);
        return scenarios.stream()
                .flatMap(scenario -> results.stream().filter(in(scenario).and(by(algorithm))).min(goodput).stream())
                .sorted(goodput)
                .toList();
    }

    /** The geometric mean; NaN of nothing, and 0 if one is 0. */
    static double mean(Stream<Result> some, ToDoubleFunction<Result> ratio) {
        return StrictMath.exp(some.mapToDouble(ratio)
                .filter(value -> !Double.isNaN(value))
                .map(StrictMath::log)
                .average()
                .orElse(Double.NaN));
    }

    private static double average(Stream<Result> some, ToDoubleFunction<Result> value) {
        return some.mapToDouble(value).average().orElse(Double.NaN);
    }

    private double max(ToDoubleFunction<Result> ratio, Predicate<Result> which) {
        return results.stream()
                .filter(which)
                .mapToDouble(ratio)
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(Double.NaN);
    }

    private static Predicate<Result> in(String scenario) {
        return result -> result.scenario().equals(scenario);
    }

    private static Predicate<Result> by(String algorithm) {
        return result -> result.algorithm().equals(algorithm);
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.3f", value);
    }
}
