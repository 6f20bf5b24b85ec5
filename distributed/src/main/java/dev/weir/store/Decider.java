package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of one {@link Mode}: it decides requests at once or asks the store. Thread-safe; no
 * method blocks.
 */
interface Decider extends AutoCloseable {
    /** Decides without the store; null if that has to be asked, as by default. */
    default @Nullable Decision tryNow(Request request) {
        return null;
    }

    /** Asks the store, and settles the request when there is an answer. */
    void ask(StoreRequest request);

    /** A request was decided without the store, although it might have been granted. */
    default void bypassed(Request request) {}

    /** The figures of the last answer for the key of this request, less what was granted since; null if they are not known. */
    default @Nullable Quota quota(Request request) {
        return null;
    }

    /** Returns what it holds. Requests that come later get an answer all the same. */
    @Override
    default void close() {}
}
