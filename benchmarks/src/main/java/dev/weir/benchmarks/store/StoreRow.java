package dev.weir.benchmarks.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One line of the comparison.
 *
 * @param name by which the command runs it
 * @param what in words
 * @param place where its store is; one that is far away is asked at random times in place of as fast as it answers
 * @param load requests a second of the same contender that are not measured, if its store is far away
 * @param memory how the memory of its keys is measured; null if it is not
 */
record StoreRow(
        String name,
        String what,
        Terms terms,
        Place place,
        int load,
        @Nullable Memory memory,
        Starter starter) {

    boolean isFar() {
        return place == Place.FAR;
    }

    /** The start of the contender of a row. */
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
