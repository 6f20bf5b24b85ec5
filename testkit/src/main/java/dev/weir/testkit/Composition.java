package dev.weir.testkit;

import dev.weir.Request;
import dev.weir.spi.StrategySpec;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * A specification made of others, and what each of them promises. Immutable.
 *
 * @param spec what a limiter is made by
 * @param roomy the same where no key is ever evicted; an equal one where nothing is evicted anyway
 * @param parts every limit that has to grant a request, those inside a limit by key included
 * @param exact whether refused and cancelled requests, evictions and observers change no later answer at all; false for
 *     an algorithm that documents a tolerance
 * @param moves whether limits change by themselves as time passes
 */
public record Composition(StrategySpec spec, StrategySpec roomy, List<Part> parts, boolean exact, boolean moves) {
    /** Draws the specifications of one life. */
    @FunctionalInterface
    public interface Source {
        /** So many compositions; those of one call should often have equal and similar parts. */
        List<Composition> draw(SplittableRandom random, int count);
    }

    /**
     * One limit.
     *
     * @param spec of this limit alone, for one key if it is by key
     * @param byKey whether each key has one of its own
     * @param place the index among {@link StrategySpec#parts()} of the whole specification
     * @param first whether the limit at that place is this part's limit
     * @param limit the limit of {@code spec}
     * @param law what it promises
     */
    public record Part(StrategySpec spec, boolean byKey, int place, boolean first, long limit, Law law) {
        /** Checks the components. */
        public Part {
            Objects.requireNonNull(spec, "spec");
            Objects.requireNonNull(law, "law");
        }
    }

    /** What a limit promises. */
    public sealed interface Law permits Rate, Concurrency {}

    /** The promise of a rate, by its limit in force. */
    public record Rate(LongFunction<Figures> by) implements Law {}

    /**
     * The figures of a rate: within any time, at most {@code burst + forgotten + permits / period * time}.
     *
     * @param permits permits each period
     * @param period nanoseconds
     * @param burst the most at one instant
     * @param forgotten what it forgets at the end of a period
     * @param remembered for how many nanoseconds a larger rate counts after the limit was lowered in place
     * @param late by how many nanoseconds it may grant later than a drained one of its kind, as a rule 0
     */
    public record Figures(long permits, long period, long burst, long forgotten, long remembered, long late) {
        /** Of a rate that is never late. */
        public Figures(long permits, long period, long burst, long forgotten, long remembered) {
            this(permits, period, burst, forgotten, remembered, 0);
        }

        long most() {
            return burst + forgotten;
        }
    }

    /**
     * The promise of a concurrency limit: a request is never granted if more than {@code most} would be in flight, and
     * never refused for it if at most {@code least} would be.
     */
    public record Concurrency(Room most, Room least) implements Law {}

    /** How many permits may be in flight, with this request among them. */
    @FunctionalInterface
    public interface Room {
        /** By the limit in force. */
        long of(long limit, Request request);
    }

    /** Checks the components. */
    public Composition {
        Objects.requireNonNull(spec, "spec");
        Objects.requireNonNull(roomy, "roomy");
        parts = List.copyOf(parts);
    }

    List<Part> rates(boolean byKey) {
        return parts.stream()
                .filter(part -> part.byKey == byKey && part.law instanceof Rate)
                .toList();
    }

    List<Part> concurrencyLimits() {
        return parts.stream().filter(part -> part.law instanceof Concurrency).toList();
    }

    boolean holds() {
        return parts.stream().anyMatch(part -> part.law instanceof Concurrency);
    }

    boolean holdsByKey() {
        return parts.stream().anyMatch(part -> part.byKey && part.law instanceof Concurrency);
    }

    boolean isByKey() {
        return parts.stream().anyMatch(Part::byKey);
    }
}
