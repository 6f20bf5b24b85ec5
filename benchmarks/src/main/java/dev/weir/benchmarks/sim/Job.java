package dev.weir.benchmarks.sim;

import org.jspecify.annotations.Nullable;

/** One attempt of a request on its way through. */
final class Job {
    final long order;
    final int request;
    final int attempt;
    final long arrived;
    final int priority;
    final Work work;
    final double cpuWork;
    final double dependencyWork;
    final int instance;

    /** The data that the limit stores about it. */
    @Nullable
    Object token;

    long start;
    int inFlightThen;
    boolean left;
    double size;
    double endsAt;

    Job(
            long order,
            int request,
            int attempt,
            long arrived,
            int priority,
            Work work,
            double cpuWork,
            double dependencyWork,
            int instance) {
        this.order = order;
        this.request = request;
        this.attempt = attempt;
        this.arrived = arrived;
        this.priority = priority;
        this.work = work;
        this.cpuWork = cpuWork;
        this.dependencyWork = dependencyWork;
        this.instance = instance;
    }
}
