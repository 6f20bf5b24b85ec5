package dev.weir.benchmarks.retries;

import dev.weir.benchmarks.retries.Storm.Client;
import dev.weir.benchmarks.retries.Storm.Result;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/** Compares retries with and without budgets in three layers before a service that is down for 20 s. */
public final class RetrySim {
    static final int SEEDS = 3;

    private RetrySim() {}

    /** Prints the table. Takes no arguments. */
    public static void main(String... args) {
        if (args.length > 0) {
            System.err.println("sim retries takes no options, was " + String.join(" ", args));
            System.exit(2);
        }
        print(System.out);
    }

    /** The mean of the seeds; the loads to that of calls without retries. */
    static void print(PrintStream out) {
        out.print("| while it is down it | clients | served before | load while down | peak second | back after |\n");
        out.print("|---|---|---|---|---|---|\n");
        for (boolean hangs : new boolean[] {false, true}) {
            List<Result> once = results(Client.ONCE, hangs);
            for (Client client : Client.ALL) {
                List<Result> results = client == Client.ONCE ? once : results(client, hangs);
                double second = mean(once, Result::calls) / Storm.DOWN_FOR;
                out.printf(
                        Locale.ROOT,
                        "| %s | %s | %.3f | %.2f | %.2f | %s |%n",
                        hangs ? "hangs" : "refuses",
                        client.name(),
                        mean(results, Result::normal),
                        mean(results, Result::calls) / mean(once, Result::calls),
                        mean(results, Result::peak) / second,
                        back(results));
            }
        }
    }

    private static String back(List<Result> results) {
        int last = results.stream().mapToInt(Result::back).max().orElseThrow();
        return last < Storm.AFTER ? last + " s" : "not in " + last + " s";
    }

    static List<Result> results(Client client, boolean hangs) {
        return LongStream.rangeClosed(1, SEEDS)
                .parallel()
                .mapToObj(seed -> Storm.of(client, hangs, seed))
                .toList();
    }

    private static double mean(List<Result> results, ToDoubleFunction<Result> figure) {
        return results.stream().mapToDouble(figure).average().orElseThrow();
    }
}
