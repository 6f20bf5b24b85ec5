package dev.weir.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The servers of a client: one, or the masters of a Cluster. Thread-safe; no method blocks. */
interface Servers extends Scripts {
    /** Completes when all were connected for the first time. */
    CompletionStage<Void> connected();

    /** Completes normally if all answer and would count. */
    CompletionStage<?> ping();

    /** Completes normally if the server of this number answers and would count, or there is none. */
    default CompletionStage<?> ping(int number) {
        return ping();
    }

    /** One more than the highest number. */
    default int nodes() {
        return 1;
    }

    /** The number of the server that has this key by what is known now. */
    default int node(byte[] key) {
        return 0;
    }

    default String nodeName(int number) {
        return Integer.toString(number);
    }

    /** Completes when all connections are closed. */
    CompletableFuture<Void> close();
}
