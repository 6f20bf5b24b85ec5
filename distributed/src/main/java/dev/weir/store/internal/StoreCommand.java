package dev.weir.store.internal;

import java.util.concurrent.CompletionStage;

/** A command to the store. It ends once: answered, or failed because there was an error or no answer in time. */
public interface StoreCommand<T> {
    /** Sends the command. */
    CompletionStage<T> send();

    /** The answer came in time. */
    void answered(T answer);

    /** The store did not answer in time, or failed: it is not known whether it has counted. */
    void failed();

    /** The answer came after the command had failed. */
    default void answeredLate(T answer) {}
}
