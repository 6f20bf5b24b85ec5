package dev.weir.internal;

import org.jspecify.annotations.Nullable;

/**
 * A limiter that makes the key of each request by a rule, which it replaces together with its specification. What it refuses
 * because of a key, it has refused by the rule of the strategy that it asked. Thread-safe.
 */
public interface RuledLimiter {
    /*
     * The rule is a part of what a request reads of the limiter with one volatile read, and a change writes with one. So no request is
     * counted by one key and asked for by another, and none waits for a rule to be published:
     *
     *     request                               change of the key
     *     reads the old strategy and rule
     *     is counted by the old key
     *                                           writes the new strategy and rule
     *     is refused by the old strategy
     *     reads the new strategy: not the
     *     one that it asked
     *     is counted by the new key, and
     *     asks the new strategy
     */

    /** The rule in force: the same object until another one is; null = requests are counted as they are. */
    @Nullable
    RequestRule rule();

    /** Sets the rule that comes into force with the next specification; null = none. */
    void countNextBy(@Nullable RequestRule rule);

    /** Puts a rule in force for the present specification, and has those that wait asked for again, unless it equals the present one. */
    void countBy(@Nullable RequestRule rule);
}
