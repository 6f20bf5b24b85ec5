package dev.weir.store;

import dev.weir.AsyncLimiter;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.spi.LimitView;
import dev.weir.spi.StrategySpec;
import org.jspecify.annotations.Nullable;

/** A limiter that a store counts for all instances, as its owner sees it. Thread-safe. */
public interface StoreLimiter extends AsyncLimiter, LimitView, AutoCloseable {
    /** The name, which is part of the keys in the store: instances with the same name share the limit. */
    @Override
    String name();

    /** The specification last put in force here. */
    @Override
    StrategySpec spec();

    /**
     * Puts another specification in force, from the next decision of this instance on. What was used stays used, on all
     * instances. Does nothing if the specification equals the present one. Does not block.
     *
     * @throws IllegalArgumentException if the store cannot count such a limit; the last one stays in force
     * @throws IllegalStateException after {@link #close}
     */
    void reconfigure(StrategySpec spec);

    /**
     * The limit, what is left of it and its reset for this request, as the last answer of the store for its key told them: without
     * spending anything, without asking the store, and without waiting. By default not known.
     *
     * @return null if it is not known here: where the store decides each request, no answer is kept, and only {@link
     *     dev.weir.Permit#quota} tells; after {@link #close}
     */
    @Override
    default Permit.@Nullable Quota quota(Request request) {
        return null;
    }

    /**
     * Spends the {@linkplain Request#cost cost} of the request, or its permits if it has none, if the limit counts by cost, and never
     * refuses: all instances are refused then until what was spent beyond the limit is paid at its rate. Does not block. By
     * default the limit does not count by cost.
     *
     * @return whether it counts by cost; false = nothing was spent
     */
    default boolean charge(Request request) {
        return false;
    }

    /** Refuses all requests from now on, as {@code CANCELLED}. The store and its connections stay open. */
    @Override
    void close();
}
