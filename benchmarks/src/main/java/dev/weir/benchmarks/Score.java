package dev.weir.benchmarks;

import java.util.Collection;
import java.util.Objects;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.util.ListStatistics;

/**
 * The result of one benchmark over all its iterations.
 *
 * @param method its name
 * @param wall median nanoseconds an operation
 * @param error half the 99.9 % confidence interval of the mean of these, in nanoseconds
 * @param cpu median nanoseconds of CPU time an operation, of all threads, of the iterations in which it is known ({@link CpuTime}); NaN = of none
 * @param bytes median bytes allocated an operation, of the iterations in which they are known: they are not where a thread that had
 *     allocated much has ended; NaN = of none
 */
record Score(String method, double wall, double error, double cpu, double bytes) {
    static Score of(String method, Collection<IterationResult> iterations) {
        ListStatistics times = new ListStatistics(iterations.stream()
                .mapToDouble(iteration -> iteration.getPrimaryResult().getScore())
                .toArray());
        return new Score(
                method,
                times.getPercentile(50),
                times.getMeanErrorAt(0.999),
                median(CpuTime.LABEL, iterations),
                median("gc.alloc.rate.norm", iterations));
    }

    private static double median(String label, Collection<IterationResult> iterations) {
        return new ListStatistics(iterations.stream()
                        .map(iteration -> iteration.getSecondaryResults().get(label))
                        .filter(Objects::nonNull)
                        .mapToDouble(Result::getScore)
                        .toArray())
                .getPercentile(50);
    }
}
