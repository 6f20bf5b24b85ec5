package dev.weir.benchmarks.sim;

/** Results without what a test is not about. */
final class Results {
    private Results() {}

    static Result result(
            String scenario, long seed, String algorithm, double goodputRatio, double p99Ratio, double p50Ratio) {
        return result(scenario, seed, algorithm, goodputRatio, p99Ratio, p50Ratio, 0, Double.NaN, Double.NaN);
    }

    static Result result(
            String scenario,
            long seed,
            String algorithm,
            double goodput,
            double p99,
            double p50,
            double refused,
            double beside,
            double recovery) {
        return new Result(scenario, seed, algorithm, goodput, p99, p50, refused, beside, recovery, Steadiness.UNKNOWN);
    }
}
