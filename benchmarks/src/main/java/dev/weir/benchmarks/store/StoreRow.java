package dev.weir.benchmarks.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One line of the comparison.
 *
 * @param name by which the command runs it
 * @param what in words
 * @param network whether a millisecond each way is between it and the store, and it is asked at random times in place of as fast as
 *     it answers
 * @param load requests a second of the same contender that are not measured, with a network
 * @param memory how the memory of its keys is measured; null if it is not
 */
record StoreRow(
        String name,
        String what,
        Terms terms,
        boolean network,
        int load,
        @Nullable Memory memory,
        Starter starter) {

    /** What starts the contender of a row. */
    @FunctionalInterface
    interface Starter {
        /** The contender, connected to the store at this address. */
        Contender start(String uri, String name, Terms terms);
    }

    /**
     * Terms that keep what was used for longer than it takes to look at it.
     *
     * @param pause between one request and the next for each key
     */
    record Memory(long permits, Duration period, Duration pause) {}
}
