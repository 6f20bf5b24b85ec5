package dev.weir.benchmarks.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A rate limit for each key, counted by a store. It is asked by one thread. */
interface Contender extends AutoCloseable {
    /** Asks for one permit of the key with this number. The stage is true if it was granted. */
    CompletionStage<Boolean> tryAcquire(int key);

    /** Sends what waits for company: nothing more is asked for now. */
    default void flush() {}

    /** The time after which it is steady under load, and after which it sends nothing more once nothing is asked of it. */
    default Duration settles() {
        return Duration.ZERO;
    }

    @Override
    void close();
}
