package dev.weir.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.stream.LongStream;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * The CPU time of an operation: that of all Java threads, except the one that starts the iterations. Compilers and collectors are not
 * Java threads. An iteration in which a thread started or ended has no result, because the time of such a thread is lost.
 */
public final class CpuTime implements InternalProfiler {
    static final String LABEL = "cpu";

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long started;
    private long[] ids = {};
    private long[] before = {};

    @Override
    public String getDescription() {
        return "CPU time of all Java threads";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        long starter = Thread.currentThread().getId();
        started = threads.getTotalStartedThreadCount();
        ids = LongStream.of(threads.getAllThreadIds())
                .filter(id -> id != starter)
                .toArray();
        before = threads.getThreadCpuTime(ids);
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long[] after = threads.getThreadCpuTime(ids);
        boolean isComplete = threads.getTotalStartedThreadCount() == started
                && LongStream.concat(LongStream.of(before), LongStream.of(after))
                        .allMatch(nanos -> nanos >= 0);
        if (!isComplete) {
            return List.of();
        }
        double nanos = LongStream.of(after).sum() - LongStream.of(before).sum();
        return List.of(
                new ScalarResult(LABEL, nanos / result.getMetadata().getAllOps(), "ns/op", AggregationPolicy.AVG));
    }
}
