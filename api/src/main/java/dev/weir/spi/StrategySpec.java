package dev.weir.spi;

import dev.weir.Ticker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An immutable, validated description of a {@link Strategy}: a record for each algorithm, compared by value. What
 * survives a change from one specification to another is decided when the limiter is reconfigured: see
 * {@code docs/changes.md}.
 */
public interface StrategySpec {
    /** A new strategy that has granted nothing. */
    Strategy create(Ticker ticker);

    /** Which algorithm it is of: only strategies by a specification of the same one are {@linkplain #adjust adjusted}. */
    default Class<?> kind() {
        return getClass();
    }

    /**
     * Adjusts a running strategy to this specification, if it can go on with everything that it has granted. Permits in
     * flight and requests may come at the same time. Must not block.
     *
     * @return false if it cannot; nothing was changed then, and a new strategy takes over
     */
    default boolean adjust(Strategy running) {
        return false;
    }

    /**
     * The same specification for strategies that take over from some that have warmed up so far: by default the same.
     * Asked for before a strategy that is not the first is created or adjusted.
     *
     * @param ramp null if they did not have to warm up
     */
    default StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        return this;
    }

    /** The ramp that all its strategies rise with; null if they do not rise, or each by its own. */
    default @Nullable RampProgress sharedRamp() {
        return null;
    }

    /** The specifications that make up this one, each of which has to grant a request; itself if it is one. */
    default List<StrategySpec> parts() {
        return List.of(this);
    }

    /** The strategy that asks all of these, made by its {@link #parts} in this order. */
    default Strategy compose(List<Strategy> parts, Ticker ticker) {
        return parts.get(0);
    }

    /**
     * The same specification for a great many strategies by one ticker, with what they have in common made once: the
     * beginning of its periods, if it counts any, is then now for all of them. It adjusts running strategies to share
     * that. By default nothing is shared.
     */
    default StrategySpec forMany(Ticker ticker) {
        return this;
    }

    /**
     * The same for strategies that take over from those of an earlier specification {@link #forMany}: periods of the same
     * length go on as they are.
     */
    default StrategySpec forMany(Ticker ticker, StrategySpec before) {
        return forMany(ticker);
    }

    /** The same {@link #forMany} with another limit, as {@link Strategy#setLimit} sets it. */
    default StrategySpec withLimit(long limit) {
        return new LimitedSpec(this, limit);
    }

    /**
     * How the state of one of many strategies by this specification is kept when it is evicted. By default null: one long
     * is kept, the instant by which everything that was used has refilled steadily. That is exact for what refills so. An
     * evicted window may grant its limit anew, beside what it granted before; it stays within
     * {@code burst + W * permits / period} of its {@link RefillRate}, as after a change.
     */
    default @Nullable EvictedState evictedState(Ticker ticker) {
        return null;
    }
}
