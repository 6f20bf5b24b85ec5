package dev.weir.testkit;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import dev.weir.spi.StrategySpec;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A specification made of others, with the promise of each of them. Immutable.
 *
 * @param spec what a limiter is made by
 * @param roomy the same where no key is ever evicted; an equal one where nothing is evicted anyway
 * @param parts every limit that has to grant a request, those inside a limit by key included
 * @param exact whether refused and cancelled requests, evictions and observers change no later answer at all; false for
 *     an algorithm that documents a tolerance
 * @param motion whether limits change by themselves as time passes
 */
public record Composition(StrategySpec spec, StrategySpec roomy, List<Part> parts, boolean exact, Motion motion) {
    /** The ways in which limits change by themselves, from the least to the most. */
    public enum Motion {
        /** They do not change. */
        NONE,
        /** They rise. */
        RISES,
        /** They rise, and fall when the limiter was idle. */
        RISES_AND_FALLS
    }

    /** A generator of the compositions of one history. */
    @FunctionalInterface
    public interface Source {
        /** Draws this many compositions. Those of one call should often have equal and similar parts. */
        List<Composition> draw(SplittableRandom random, int count);

        /** The key of the requests with this number, from 0 on. */
        default Object key(int number) {
            return "k" + number;
        }

        /** A new subject with this composition in force, in this time. By default a limiter of the engine. */
        default Subject subject(Composition first, VirtualTime time) {
            return new EngineSubject(
                    Limiters.builder("limiter", first.spec()).ticker(time).build());
        }

        /**
         * Whether subjects have an {@linkplain Subject#engine() engine}. Without one, limits are not set, requests are only
         * tried, and all permits are released as {@code SUCCESS}, once.
         */
        default boolean hasEngine() {
            return true;
        }

        /** Whether some histories have a queue in front of the limiter. */
        default boolean hasQueue() {
            return false;
        }

        /**
         * A new queue in front of a limiter, in this time, first come, first served, which completes futures on the thread
         * that grants. Called only if there {@linkplain #hasQueue is one}.
         */
        default AsyncLimiter queue(ManagedLimiter limiter, VirtualTime time) {
            throw new UnsupportedOperationException("no queue before " + limiter.name());
        }
    }

    /** A limiter that a history happens to, and the way in which another composition is put in force. */
    public interface Subject {
        /** Answers a request by the keys of the source. */
        Decision tryAcquire(Request request);

        /** Puts another composition in force at once. */
        void change(Composition next);

        /** What the limiter tells of itself. */
        Snapshot snapshot();

        /** The limiter of the engine; null if it is not to be used directly. */
        @Nullable
        ManagedLimiter engine();
    }

    /** The names or the key that limits by key count by. Equal ones count the same. */
    @FunctionalInterface
    public interface By {
        /** The key by which such a limit counts this request; null = the request has none. */
        @Nullable
        Object keyOf(Request request);
    }

    /**
     * One limit of a composition.
     *
     * @param spec of this limit alone, for one key if it is by key
     * @param by what it counts by, if each key has one of its own; null = it is for all
     * @param place the index among {@link StrategySpec#parts()} of the whole specification
     * @param first whether the limit at that place is this part's limit
     * @param limit the limit of {@code spec}
     * @param law what it promises
     * @param drained the specifications that, drained and all together, are no faster than this; {@code spec} alone, unless
     *     the limit moves by itself
     */
    public record Part(
            StrategySpec spec,
            @Nullable By by,
            int place,
            boolean first,
            long limit,
            Law law,
            List<StrategySpec> drained) {
        /** Checks the components. */
        public Part {
            Objects.requireNonNull(spec, "spec");
            Objects.requireNonNull(law, "law");
            drained = List.copyOf(drained);
        }

        /** A limit alone. */
        public static Part alone(StrategySpec spec, long limit, Law law) {
            return new Part(spec, null, 0, true, limit, law, List.of(spec));
        }

        /** The same at another place. */
        public Part at(int place) {
            return new Part(spec, by, place, first, limit, law, drained);
        }

        /** The same for each key. */
        public Part forEachKey(By key) {
            return new Part(spec, key, 0, first && place == 0, limit, law, drained);
        }

        boolean moves() {
            return !drained.equals(List.of(spec));
        }

        /** What it takes of a request: the cost, if there is one and it is by cost, or the permits. */
        long amountOf(Request request) {
            return isByCost() ? request.amount() : request.permits();
        }

        boolean isByCost() {
            return law instanceof Rate rate && rate.isByCost;
        }

        boolean isFor(Request request) {
            return by == null || by.keyOf(request) != null;
        }
    }

    /** The promise of a limit, which the contract checks. */
    public sealed interface Law permits Rate, Concurrency {}

    /**
     * The promise of a rate, by its limit in force.
     *
     * @param isByCost whether it takes the cost of a request that has one, and can be settled and charged
     */
    public record Rate(ByLimit by, boolean isByCost) implements Law {
        /** A rate of permits. */
        public Rate(ByLimit by) {
            this(by, false);
        }

        /** The same of costs. */
        public Rate byCost() {
            return new Rate(by, true);
        }

        /** A rate whose limit does not move by itself. */
        public static Rate of(LongFunction<Figures> byLimit) {
            return new Rate((limit, full) -> byLimit.apply(limit));
        }
    }

    /** Figures of a rate by its limit. */
    @FunctionalInterface
    public interface ByLimit {
        /** The figures, by the limit in force and the limit that it rises to if it moves. */
        Figures at(long limit, long full);
    }

    /**
     * The figures of a rate: within any time, at most {@code burst + forgotten + permits / period * time}.
     *
     * @param permits permits each period
     * @param period nanoseconds
     * @param burst the most at one instant
     * @param forgotten how many permits it may forget at the end of a period
     * @param remembered for how many nanoseconds a larger rate counts after the limit was lowered in place
     * @param late by how many nanoseconds it may grant later than a drained rate of its kind; usually 0
     * @param largest the largest request; usually the burst
     */
    public record Figures(
            long permits, long period, long burst, long forgotten, long remembered, long late, long largest) {
        /** Figures of a rate that grants its burst as one request. */
        public Figures(long permits, long period, long burst, long forgotten, long remembered, long late) {
            this(permits, period, burst, forgotten, remembered, late, burst);
        }

        /** Figures of a rate that is never late. */
        public Figures(long permits, long period, long burst, long forgotten, long remembered) {
            this(permits, period, burst, forgotten, remembered, 0);
        }

        long max() {
            return burst + forgotten;
        }

        /* For a time in which either of the two may be in force. */
        Figures or(Figures other) {
            boolean isFaster = (double) permits / period >= (double) other.permits / other.period;
            return new Figures(
                    isFaster ? permits : other.permits,
                    isFaster ? period : other.period,
                    Math.max(burst, other.burst),
                    Math.max(forgotten, other.forgotten),
                    Math.max(remembered, other.remembered),
                    Math.max(late, other.late),
                    Math.max(largest, other.largest));
        }
    }

    /**
     * The promise of a concurrency limit: a request is never granted if more than {@code max} would be in flight, and
     * never refused for it if at most {@code min} would be.
     */
    public record Concurrency(Room max, Room min) implements Law {}

    /** The number of permits that may be in flight, with this request among them. */
    @FunctionalInterface
    public interface Room {
        /** The number, by the limit in force. */
        long of(long limit, Request request);
    }

    /** Checks the components. */
    public Composition {
        Objects.requireNonNull(spec, "spec");
        Objects.requireNonNull(roomy, "roomy");
        parts = List.copyOf(parts);
    }

    List<Part> concurrencyLimits() {
        return parts.stream().filter(part -> part.law instanceof Concurrency).toList();
    }

    boolean holds() {
        return parts.stream().anyMatch(part -> part.law instanceof Concurrency);
    }

    boolean evicts() {
        return !spec.equals(roomy);
    }

    boolean moves() {
        return motion != Motion.NONE;
    }

    boolean isByCost() {
        return parts.stream().anyMatch(Part::isByCost);
    }

    boolean isByKey() {
        return parts.stream().anyMatch(part -> part.by != null);
    }
}
