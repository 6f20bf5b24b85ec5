package dev.weir.benchmarks.tokens;

import dev.weir.benchmarks.sim.Table;
import dev.weir.benchmarks.tokens.Run.Result;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;

/** All clients at two demands, and the best of them in all scenarios: each with five seeds. */
final class Report {
    private static final long SEEDS = 5;

    /**
     * One client in one scenario.
     *
     * @param use the mean of all seeds
     * @param leastUse the lowest of them
     * @param refused of a thousand calls, the mean of all seeds
     * @param mostRefused the highest of them
     * @param unfair by which share what a tenant got of all seeds differs from an eighth, at most
     */
    record Row(double use, double leastUse, double refused, double mostRefused, double unfair) {
        static Row of(List<Result> results) {
            double[] served = new double[Scenario.TENANTS];
            results.forEach(result -> Arrays.setAll(served, tenant -> served[tenant] + result.servedOf()[tenant]));
            double fair = Arrays.stream(served).average().orElse(0);
            return new Row(
                    results.stream().mapToDouble(Result::use).average().orElse(0),
                    results.stream().mapToDouble(Result::use).min().orElse(0),
                    results.stream().mapToDouble(Result::refused).average().orElse(0),
                    results.stream().mapToDouble(Result::refused).max().orElse(0),
                    Arrays.stream(served)
                            .map(each -> Math.abs(each / fair - 1))
                            .max()
                            .orElse(0));
        }
    }

    private final Map<Client, List<Row>> clients = new LinkedHashMap<>();
    private final Map<Scenario, Row> scenarios = new LinkedHashMap<>();

    Report() {
        for (Client client : Client.ALL) {
            clients.put(client, List.of(row(Scenario.HALF_MORE, client), row(Scenario.THREE_TIMES, client)));
        }
        for (Scenario scenario : Scenario.ALL) {
            scenarios.put(scenario, row(scenario, Client.SUSPENDED));
        }
    }

    private static Row row(Scenario scenario, Client client) {
        return Row.of(LongStream.rangeClosed(1, SEEDS)
                .parallel()
                .mapToObj(seed -> Run.of(scenario, client, seed))
                .toList());
    }

    Map<Scenario, Row> scenarios() {
        return scenarios;
    }

    /** Two tables. */
    String markdown() {
        Table before = new Table(
                List.of("before the call is taken", "use at 1.5 x", "429 of 1,000", "use at 3 x", "429 of 1,000"));
        clients.forEach((client, rows) -> before.row(List.of(
                client.name(),
                text("%.3f", rows.get(0).use),
                text("%.1f", rows.get(0).refused),
                text("%.3f", rows.get(1).use),
                text("%.1f", rows.get(1).refused))));
        Table held = new Table(
                List.of("settled and held shut by `Retry-After`", "use", "least", "429 of 1,000", "most", "unfair by"));
        scenarios.forEach((scenario, row) -> held.row(List.of(
                scenario.name(),
                text("%.3f", row.use),
                text("%.3f", row.leastUse),
                text("%.1f", row.refused),
                text("%.1f", row.mostRefused),
                text("%.1f %%", 100 * row.unfair))));
        return before + "\n" + held;
    }

    private static String text(String format, double figure) {
        return String.format(Locale.ROOT, format, figure);
    }
}
