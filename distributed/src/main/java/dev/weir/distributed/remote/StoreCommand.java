package dev.weir.distributed.remote;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A command to the store. It ends once: answered, or failed because there was an error or no answer in time. */
interface StoreCommand {
    /** Sends the command. */
    CompletionStage<?> send();

    /** Whether an answer is one. */
    default boolean accepts(@Nullable Object answer) {
        return answer instanceof Reply;
    }

    /** The answer came in time. */
    void answered(@Nullable Object answer);

    /** The store did not answer in time, or failed: it is not known whether it has counted. */
    void failed();

    /** The answer came after the command had failed. */
    default void answeredLate(@Nullable Object answer) {}
}
