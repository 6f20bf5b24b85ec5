package dev.weir.benchmarks.sim;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server, what is asked of it, and what befalls it meanwhile.
 *
 * @param name what it is called
 * @param seconds how long it runs
 * @param timeoutMillis after how long a caller gives up
 * @param arrivals how many arrive a second, at random
 * @param mixes what arrives, each mix from its moment on
 * @param cpu the first station
 * @param dependency the second one, if there is one
 * @param retries how often a caller tries again who was refused or has given up
 * @param classes the share of each priority, the highest first
 * @param knee how much concurrency the server can use; what the clairvoyant knows
 */
record Scenario(
        String name,
        double seconds,
        double timeoutMillis,
        Steps arrivals,
        List<Mix> mixes,
        Cpu cpu,
        @Nullable Dependency dependency,
        int retries,
        List<Double> classes,
        Steps knee) {

    /**
     * What arrives from a moment on.
     *
     * @param from in seconds
     * @param work the kinds, whose shares sum to 1
     */
    record Mix(double from, List<Work> work) {
        Mix {
            double sum = work.stream().mapToDouble(Work::share).sum();
            if (Math.abs(sum - 1) > 1e-9) {
                throw new IllegalArgumentException("shares must sum to 1, were " + sum);
            }
        }
    }

    /**
     * The station of workers.
     *
     * @param shared whether all that is inside shares the cores, else first come, first served
     * @param cores how many
     * @param speed of each, 1 is full
     * @param sigma contention: speed falls as {@code 1 / (1 + sigma (n-1) + kappa n (n-1))} with n inside (Gunther)
     * @param kappa coherency
     */
    record Cpu(boolean shared, Steps cores, Steps speed, double sigma, double kappa) {}

    /**
     * What is called from within.
     *
     * @param meanMillis exponential
     * @param connections how many calls it serves at once; 0 = any number
     * @param slowness by how much calls that begin take longer
     * @param speed of its service, 1 is full
     */
    record Dependency(double meanMillis, int connections, Steps slowness, Steps speed) {}

    long nanos() {
        return Math.round(seconds * 1e9);
    }

    long timeoutNanos() {
        return Math.round(timeoutMillis * 1e6);
    }

    int cores() {
        return (int) Math.min(knee.value(0), cpu.cores.value(0));
    }

    /** Whether the best limit moves, so that none that stands still can be the measure. */
    boolean moves() {
        return !(cpu.cores.constant()
                && cpu.speed.constant()
                && mixes.size() == 1
                && knee.constant()
                && (dependency == null || dependency.slowness.constant() && dependency.speed.constant()));
    }
}
