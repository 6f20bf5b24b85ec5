package dev.weir.benchmarks.redis;

import dev.weir.testservers.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Decisions a second and the 99th percentile of their latency, of Weir and its peers, by one key of a Redis that is started for it.
 * One thread keeps {@code 128} requests in flight, so that they are pipelined. All take turns of a second; the
 * medians of all turns are printed.
 */
public final class RedisComparison {
    static final long LIMIT = 10_000_000;

    private static final int TURNS = 5;

    private RedisComparison() {}

    public static void main(String... args) throws InterruptedException {
        int turns = args.length == 0 ? TURNS : Integer.parseInt(args[0]);
        try (RedisServer server = RedisServer.inMemory()) {
            List<Function<String, Contender>> all = List.of(
                    Floor::new,
                    OurLimiter::exact,
                    OurLimiter::verdict,
                    OurLimiter::batched,
                    GatewayScript::new,
                    RateOfRedisson::new,
                    BucketOfBucket4j::new);
            List<Measured> measured = new ArrayList<>();
            for (Function<String, Contender> next : all) {
                measured.add(new Measured(next.apply(server.uri())));
            }
            for (int turn = 0; turn <= turns; turn++) {
                for (Measured one : measured) {
                    one.turn(turn == 0);
                }
            }
            print(measured);
            measured.forEach(Measured::close);
        }
    }

    private static void print(List<Measured> measured) {
        double floor = measured.get(0).perSecond();
        System.out.println("| what | decisions a second | of the floor | p99, us | refused |");
        System.out.println("|---|---|---|---|---|");
        for (Measured one : measured) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %,.0f | %.2f | %.1f | %d |%n",
                    one.name(),
                    one.perSecond(),
                    one.perSecond() / floor,
                    one.p99Micros(),
                    one.refused());
        }
    }

    static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    static long percentile(long[] values, int count, double share) {
        long[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(count - 1L, (long) (count * share))];
    }
}
