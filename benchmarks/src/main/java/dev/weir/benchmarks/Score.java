package dev.weir.benchmarks;

import java.util.Collection;
import java.util.Objects;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.util.ListStatistics;

/**
 * The result of one benchmark over all its iterations.
 *
 * @param method its name
 * @param nanos median nanoseconds an operation
 * @param error half the 99.9 % confidence interval of the mean, in nanoseconds
 * @param bytes median bytes allocated an operation, of the iterations in which they are known: they are not where a thread that had
 *     allocated much has ended; NaN = of none
 */
record Score(String method, double nanos, double error, double bytes) {
    static Score of(String method, Collection<IterationResult> iterations) {
        ListStatistics times = new ListStatistics(primary(iterations));
        ListStatistics bytes = new ListStatistics(iterations.stream()
                .map(Score::allocated)
                .filter(Objects::nonNull)
                .mapToDouble(Result::getScore)
                .toArray());
        return new Score(method, times.getPercentile(50), times.getMeanErrorAt(0.999), bytes.getPercentile(50));
    }

    private static double[] primary(Collection<IterationResult> iterations) {
        return iterations.stream()
                .flatMapToDouble(iteration ->
                        DoubleStream.of(iteration.getPrimaryResult().getScore()))
                .toArray();
    }

    private static @Nullable Result<?> allocated(IterationResult iteration) {
        return iteration.getSecondaryResults().get("gc.alloc.rate.norm");
    }
}
