package dev.weir.adaptive;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * What happened between two moments. Counts are of permits, so that they go with the limit; latencies are of a sample and
 * run from admission to return.
 *
 * @param at the clock's reading at its end, of use only by difference
 * @param nanos its length, at least 1
 * @param limit the limit in force at its end
 * @param admitted granted
 * @param completed returned as {@link dev.weir.Outcome#SUCCESS}
 * @param dropped returned as {@link dev.weir.Outcome#DROPPED}: lost to load
 * @param ignored returned as anything else: no evidence of health, however fast
 * @param refused requests refused for want of capacity
 * @param passed permits of requests over the limit that were let through, because it is not enforced in full; such
 *     requests are also counted as refused, and what they hold is not in flight
 * @param leastInFlight the least seen in flight at any sampled instant
 * @param mostInFlight the most seen in flight
 * @param waiting the most seen waiting in line, where the owner lets that be seen
 * @param overdue how many of those in flight have been so for far longer than is usual, by estimate
 * @param ages of those in flight, as of a few slices ago at most
 * @param latencies of successes begun under the limit in force
 * @param older of successes begun under an older one
 * @param signals the last good readings by name
 */
public record Window(
        long at,
        long nanos,
        long limit,
        long admitted,
        long completed,
        long dropped,
        long ignored,
        long refused,
        long passed,
        long leastInFlight,
        long mostInFlight,
        long waiting,
        long overdue,
        Ages ages,
        Latencies latencies,
        Latencies older,
        Map<String, Double> signals) {
    /** Checks the length; the rest comes from counters. */
    public Window {
        if (nanos < 1) {
            throw new IllegalArgumentException("nanos must be >= 1, was " + nanos);
        }
        Objects.requireNonNull(ages, "ages");
        Objects.requireNonNull(latencies, "latencies");
        Objects.requireNonNull(older, "older");
        signals = Map.copyOf(signals);
    }

    /** Whether demand was there: somebody was refused or waited, or use reached half the limit. */
    public boolean pressed() {
        return refused > 0 || waiting > 0 || (2 * mostInFlight >= limit && mostInFlight > 0);
    }

    /** Whether nothing at all happened, and nothing is going on. */
    public boolean idle() {
        return admitted == 0 && completed + dropped + ignored == 0 && refused == 0 && mostInFlight == 0;
    }

    /** Completed per second. */
    public double throughput() {
        return completed * 1e9 / nanos;
    }

    /** What a signal last read, if it could be read. */
    public OptionalDouble signal(String name) {
        Double value = signals.get(name);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** This one and the one that followed it, as one. */
    public Window plus(Window next) {
        return new Window(
                next.at,
                nanos + next.nanos,
                next.limit,
                admitted + next.admitted,
                completed + next.completed,
                dropped + next.dropped,
                ignored + next.ignored,
                refused + next.refused,
                passed + next.passed,
                Math.min(leastInFlight, next.leastInFlight),
                Math.max(mostInFlight, next.mostInFlight),
                Math.max(waiting, next.waiting),
                next.overdue,
                next.ages,
                latencies.plus(next.latencies),
                older.plus(next.older),
                next.signals);
    }

    /** This window with these readings of signals instead of its own. */
    Window with(Map<String, Double> readings) {
        Builder copy = toBuilder();
        copy.signals.clear();
        return copy.signals(readings).build();
    }

    /** A builder with all values of this window. */
    public Builder toBuilder() {
        return new Builder(nanos, limit)
                .at(at)
                .asked(admitted, refused)
                .passed(passed)
                .ended(completed, dropped, ignored)
                .inFlight(leastInFlight, mostInFlight)
                .waiting(waiting)
                .overdue(overdue)
                .ages(ages)
                .latencies(latencies, older)
                .signals(signals);
    }

    /** For a window of one's own: of this length and limit, with nothing in it yet. */
    public static Builder lasting(long nanos, long limit) {
        return new Builder(nanos, limit);
    }

    /** Makes a window. Not thread-safe. */
    public static final class Builder {
        private final long nanos;
        private long limit;
        private final Map<String, Double> signals = new HashMap<>();
        private long at;
        private long admitted;
        private long completed;
        private long dropped;
        private long ignored;
        private long refused;
        private long passed;
        private long leastInFlight;
        private long mostInFlight;
        private long waiting;
        private long overdue;
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

        /** Ending at this reading of the clock. */
        public Builder at(long reading) {
            this.at = reading;
            return this;
        }

        /** So many came in, and so many of them were refused. */
        public Builder asked(long admitted, long refused) {
            this.admitted = admitted;
            this.refused = refused;
            return this;
        }

        /** So much was let through over the limit. */
        public Builder passed(long permits) {
            this.passed = permits;
            return this;
        }

        /** So many ended in each way. */
        public Builder ended(long completed, long dropped, long ignored) {
            this.completed = completed;
            this.dropped = dropped;
            this.ignored = ignored;
            return this;
        }

        /** In flight at least and at most. */
        public Builder inFlight(long least, long most) {
            this.leastInFlight = least;
            this.mostInFlight = most;
            return this;
        }

        /** So many wait. */
        public Builder waiting(long count) {
            this.waiting = count;
            return this;
        }

        /** So many of those in flight are overdue. */
        public Builder overdue(long count) {
            this.overdue = count;
            return this;
        }

        /** The ages of those in flight. */
        public Builder ages(Ages sampled) {
            this.ages = sampled;
            return this;
        }

        /** The sample. */
        public Builder latencies(Latencies fresh, Latencies begunBefore) {
            this.latencies = fresh;
            this.older = begunBefore;
            return this;
        }

        /** A signal's last reading. */
        public Builder signal(String name, double value) {
            signals.put(name, value);
            return this;
        }

        /** The last readings. */
        public Builder signals(Map<String, Double> readings) {
            signals.putAll(readings);
            return this;
        }

        /** The window. */
        public Window build() {
            return new Window(
                    at,
                    nanos,
                    limit,
                    admitted,
                    completed,
                    dropped,
                    ignored,
                    refused,
                    passed,
                    leastInFlight,
                    mostInFlight,
                    waiting,
                    overdue,
                    ages,
                    latencies,
                    older,
                    signals);
        }
    }
}
