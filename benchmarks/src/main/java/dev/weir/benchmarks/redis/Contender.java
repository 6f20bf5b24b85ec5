package dev.weir.benchmarks.redis;

import java.util.concurrent.CompletionStage;

/** A rate limit counted by Redis, for one key. */
interface Contender extends AutoCloseable {
    /** The name in the table. */
    String name();

    /** Asks for one permit. The stage is true if it was granted. */
    CompletionStage<Boolean> tryAcquire();

    @Override
    void close();
}
