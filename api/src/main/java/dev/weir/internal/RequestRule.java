package dev.weir.internal;

import dev.weir.Decision;
import dev.weir.Request;
import org.jspecify.annotations.Nullable;

/** The rule by which a limiter makes the key of a request. Immutable, with {@code equals}; called without a lock. */
public interface RequestRule {
    /**
     * Makes the request that the limit counts: the same, or one with the key of this rule. What it has made, it returns as it is.
     *
     * @return null if the request lacks the key
     */
    @Nullable
    Request counted(Request request);

    /** Answers a request that lacks the key. */
    Decision withoutKey(String limiter);
}
