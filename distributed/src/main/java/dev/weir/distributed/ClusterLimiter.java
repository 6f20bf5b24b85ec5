package dev.weir.distributed;

import dev.weir.AsyncLimiter;
import dev.weir.spi.StrategySpec;

/** A limiter that a store counts for all instances, as its owner sees it. Thread-safe. */
public interface ClusterLimiter extends AsyncLimiter, AutoCloseable {
    /** The name, which is part of the keys in the store: instances with the same name share the limit. */
    String name();

    /** The specification last put in force here. */
    StrategySpec spec();

    /**
     * Puts another specification in force, from the next decision of this instance on. What was used stays used, on all
     * instances. Does nothing if the specification equals the present one. Does not block.
     *
     * @throws IllegalArgumentException if the store cannot count such a limit; the last one stays in force
     * @throws IllegalStateException after {@link #close}
     */
    void reconfigure(StrategySpec spec);

    /** Refuses all requests from now on, as {@code CANCELLED}. The store and its connections stay open. */
    @Override
    void close();
}
