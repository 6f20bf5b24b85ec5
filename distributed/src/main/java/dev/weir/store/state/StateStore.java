package dev.weir.store.state;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Small values by name that are replaced by compare-and-set, and the clock of the store that holds them. This is all that a store
 * needs so that it has each limit by {@code StateLimit}; the contract for its test is {@code StateStoreContract}.
 *
 * <p>A name is 1 to {@value #LONGEST_NAME} chars of any Unicode but {@code U+0000} and surrogates without their other half. Names that
 * differ in one char are different: in case, in trailing spaces, or in the composition of an accent too. A state is 0 to {@value
 * #LARGEST_STATE} bytes.
 *
 * <p>All instances that share a limit have one clock, that of the store: the microseconds since 1970 in its answers. A name that
 * nobody has replaced for the {@linkplain Replacement#ttlMicros time} which its replacement names has no value any more, or soon: a
 * store never removes it before, and may remove it later.
 *
 * <p>Thread-safe. No method blocks, and none throws for a name and a state as above. Each stage completes in bounded time, also if the
 * store does not answer and after it is closed; with an exception if it is not known what the store has done. Nothing is
 * repeated then. One that needs more than two seconds counts as failed. Stages may be completed on any
 * thread, which is needed again soon: their actions must be short.
 */
public interface StateStore {
    /** The most chars of a name. */
    int LONGEST_NAME = 255;

    /** The most bytes of a state: 1 MiB. */
    int LARGEST_STATE = 1 << 20;

    /** The most names of one call. */
    int MOST_NAMES = 64;

    /**
     * Reads the values of these names, with one round trip if the store can.
     *
     * @param names 1 to {@value #MOST_NAMES} different ones
     * @return what was there, in the order of the names
     */
    CompletionStage<List<Stored>> read(List<String> names);

    /**
     * Makes these replacements, each by itself: some may be made and others not. One round trip if the store can, or one for each name.
     *
     * @param replacements 1 to {@value #MOST_NAMES}, of different names
     * @return what is there after each of them, in their order, also if it was not made
     */
    CompletionStage<List<Stored>> replace(List<Replacement> replacements);

    /** Completes normally if the store answers. By default reads one name. */
    default CompletionStage<?> ping() {
        return read(List.of("weir:ping"));
    }
}
