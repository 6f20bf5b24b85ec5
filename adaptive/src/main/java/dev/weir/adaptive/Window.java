package dev.weir.adaptive;

import dev.weir.internal.Require;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * A sampling window: what a limiter did between two moments. Counts are of permits, as the limit is; latencies are of a sample
 * of requests, from admission to release. Immutable.
 *
 * @param at the reading of the clock at its end in nanoseconds, to be used by difference only
 * @param epochMillis the time of day at its end in milliseconds since 1970 UTC, which may jump; 0 if unknown
 * @param nanos its length in nanoseconds, at least 1
 * @param limit the limit in force at its end
 * @param admitted permits granted
 * @param completed permits released as {@link dev.weir.Outcome#SUCCESS}
 * @param dropped permits released as {@link dev.weir.Outcome#DROPPED}: lost to overload
 * @param droppedSinceLowered the permits among the dropped of which it is known that their request was admitted after the limit
 *     was last lowered: only of a sample of the requests, about twenty in 10 ms, is the time known
 * @param ignored permits released as any other outcome: no evidence of health, however fast
 * @param refused requests refused by the limit
 * @param passed permits of requests over the limit that were admitted because the limit is not enforced in full; these requests
 *     also count as refused, and what they hold is not in flight
 * @param minInFlight the minimum in flight at any sampled instant
 * @param maxInFlight the maximum in flight at any sampled instant
 * @param waiting the maximum of requests waiting in a queue before the limiter; 0 if the control is not told of one
 * @param hung an estimate of how many in flight at its end have been for far longer than usual
 * @param ages the ages of calls in flight, at most a few slices old
 * @param latencies of successes that began under the limit in force
 * @param older of successes that began under an earlier limit
 * @param signals the last good readings of signals, by name
 */
public record Window(
        long at,
        long epochMillis,
        long nanos,
        long limit,
        long admitted,
        long completed,
        long dropped,
        long droppedSinceLowered,
        long ignored,
        long refused,
        long passed,
        long minInFlight,
        long maxInFlight,
        long waiting,
        long hung,
        Ages ages,
        Latencies latencies,
        Latencies older,
        Map<String, Double> signals) {
    private static final long SHORT = 100_000_000;
    private static final long LONG = 1_000_000_000;

    /** Checks the length; the counts may be anything. */
    public Window {
        Require.that(nanos >= 1, "nanos must be >= 1", nanos);
        Objects.requireNonNull(ages, "ages");
        Objects.requireNonNull(latencies, "latencies");
        Objects.requireNonNull(older, "older");
        signals = Map.copyOf(signals);
    }

    /** True if there was demand: requests were refused or waited, or the number in flight reached half the limit. */
    public boolean hasDemand() {
        return refused > 0 || waiting > 0 || (2 * maxInFlight >= limit && maxInFlight > 0);
    }

    /** True if nothing happened and nothing was in flight. */
    public boolean idle() {
        return admitted == 0 && completed + dropped + ignored == 0 && refused == 0 && maxInFlight == 0;
    }

    /** Completed permits per second. */
    public double throughput() {
        return completed * 1e9 / nanos;
    }

    /** The last reading of this signal; empty if there is none. */
    public OptionalDouble signal(String name) {
        Double value = signals.get(name);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** The default rule of {@link Controller#enough}: latencies for a relative standard error of a tenth, within 100 ms and 1 s. */
    boolean isEnough() {
        return nanos >= LONG
                || (nanos >= SHORT && latencies.count() >= Math.max(10, Math.min(100 * latencies.variation(), 1000)));
    }

    /** This window and the one that follows it, as one. */
    public Window plus(Window next) {
        return new Window(
                next.at,
                next.epochMillis,
                nanos + next.nanos,
                next.limit,
                admitted + next.admitted,
                completed + next.completed,
                dropped + next.dropped,
                droppedSinceLowered + next.droppedSinceLowered,
                ignored + next.ignored,
                refused + next.refused,
                passed + next.passed,
                Math.min(minInFlight, next.minInFlight),
                Math.max(maxInFlight, next.maxInFlight),
                Math.max(waiting, next.waiting),
                next.hung,
                next.ages,
                latencies.plus(next.latencies),
                older.plus(next.older),
                next.signals);
    }

    /** This window with these readings of signals instead of its own; unchanged if there are none. */
    Window with(Map<String, Double> readings) {
        if (readings.isEmpty()) {
            return this;
        }
        Builder copy = toBuilder();
        copy.signals.clear();
        return copy.signals(readings).build();
    }

    /** A builder with all values of this window. */
    public Builder toBuilder() {
        return new Builder(nanos, limit)
                .at(at)
                .epochMillis(epochMillis)
                .requests(admitted, refused)
                .passed(passed)
                .ended(completed, dropped, ignored)
                .droppedSinceLowered(droppedSinceLowered)
                .inFlight(minInFlight, maxInFlight)
                .waiting(waiting)
                .hung(hung)
                .ages(ages)
                .latencies(latencies, older)
                .signals(signals);
    }

    /**
     * A builder of a window of this length and limit in which nothing happened, for tests.
     *
     * @param nanos the length, at least 1
     */
    public static Builder lasting(long nanos, long limit) {
        return new Builder(nanos, limit);
    }

    /** Options of a window. Not thread-safe. Not set is 0 or empty. */
    public static final class Builder {
        private final long nanos;
        private long limit;
        private final Map<String, Double> signals = new HashMap<>();
        private long at;
        private long epochMillis;
        private long admitted;
        private long completed;
        private long dropped;
        private long droppedSinceLowered;
        private long ignored;
        private long refused;
        private long passed;
        private long minInFlight;
        private long maxInFlight;
        private long waiting;
        private long hung;
        private Ages ages = Ages.NONE;
        private Latencies latencies = Latencies.NONE;
        private Latencies older = Latencies.NONE;

        private Builder(long nanos, long limit) {
            this.nanos = nanos;
            this.limit = limit;
        }

        /** The limit in force at its end. */
        public Builder limit(long inForce) {
            this.limit = inForce;
            return this;
        }

        /** The reading of the clock at its end. */
        public Builder at(long reading) {
            this.at = reading;
            return this;
        }

        /** The time of day at its end, in milliseconds since 1970 UTC. */
        public Builder epochMillis(long time) {
            this.epochMillis = time;
            return this;
        }

        /** The permits granted, and the requests refused. */
        public Builder requests(long admitted, long refused) {
            this.admitted = admitted;
            this.refused = refused;
            return this;
        }

        /** The permits admitted over the limit, because it is not enforced in full. */
        public Builder passed(long permits) {
            this.passed = permits;
            return this;
        }

        /** The permits released, by outcome. */
        public Builder ended(long completed, long dropped, long ignored) {
            this.completed = completed;
            this.dropped = dropped;
            this.ignored = ignored;
            return this;
        }

        /** The permits among the dropped that are known to be granted after the limit was last lowered. */
        public Builder droppedSinceLowered(long permits) {
            this.droppedSinceLowered = permits;
            return this;
        }

        /** The minimum and the maximum in flight. */
        public Builder inFlight(long min, long max) {
            this.minInFlight = min;
            this.maxInFlight = max;
            return this;
        }

        /** The maximum of requests waiting in a queue. */
        public Builder waiting(long count) {
            this.waiting = count;
            return this;
        }

        /** The number of calls that hang. */
        public Builder hung(long count) {
            this.hung = count;
            return this;
        }

        /** The ages of calls in flight. */
        public Builder ages(Ages sampled) {
            this.ages = sampled;
            return this;
        }

        /** The latencies of calls that began under the limit in force, and of those that began before. */
        public Builder latencies(Latencies fresh, Latencies older) {
            this.latencies = fresh;
            this.older = older;
            return this;
        }

        /** Adds the last reading of a signal. */
        public Builder signal(String name, double value) {
            signals.put(name, value);
            return this;
        }

        /** Adds the last readings of signals. */
        public Builder signals(Map<String, Double> readings) {
            signals.putAll(readings);
            return this;
        }

        /** Builds the window. */
        public Window build() {
            return new Window(
                    at,
                    epochMillis,
                    nanos,
                    limit,
                    admitted,
                    completed,
                    dropped,
                    droppedSinceLowered,
                    ignored,
                    refused,
                    passed,
                    minInFlight,
                    maxInFlight,
                    waiting,
                    hung,
                    ages,
                    latencies,
                    older,
                    signals);
        }
    }
}
