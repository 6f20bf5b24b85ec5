package dev.weir.redis;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** An error that a server answers, by the first word of its message; Redis 6 reports so within another message what fails in a script. */
enum RedisError {
    /** The slot of the key is served by another node. */
    MOVED,
    /** The key is at another node already, of which the slot is about to be. */
    ASK,
    /** No node serves the slot. */
    CLUSTERDOWN,
    /** The server is a replica. */
    READONLY;

    boolean is(Throwable failure) {
        String message = message(failure);
        return message != null && (message.startsWith(name()) || message.contains(": -" + name()));
    }

    /** {@code "127.0.0.1:7000"} of {@code "MOVED 3999 127.0.0.1:7000"}; empty if there is none. */
    static String address(Throwable failure) {
        String message = message(failure);
        String[] words = message == null ? new String[0] : message.split(" ", -1);
        return words.length == 3 ? words[2] : "";
    }

    private static @Nullable String message(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause.getMessage() : failure.getMessage();
    }
}
