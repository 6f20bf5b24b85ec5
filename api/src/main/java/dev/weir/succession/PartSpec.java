package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A specification that can be composed with others, warmed up, kept by key and shared, and how it does each of these. */
public interface PartSpec extends StrategySpec {
    /** The algorithm: a running strategy is {@linkplain #adjust adjusted} only to a specification of the same kind. */
    default Class<?> kind() {
        return getClass();
    }

    /**
     * The names by which it counts; null if it counts all requests together. In a change a part continues one of the same {@link
     * #kind} that counts by the same names, wherever it stands.
     */
    default @Nullable List<String> countsBy() {
        return null;
    }

    /**
     * Called before another specification, not an equal one, is put in force instead of this one. By default allows any.
     *
     * @throws IllegalStateException if that must not be; this one stays in force then
     */
    default void checkSuccessor(StrategySpec next) {}

    /**
     * The same specification for strategies that replace others which have warmed up so far. By default the same. Called
     * before a strategy that is not the first is created or adjusted.
     *
     * @param ramp null if the others did not have to warm up
     */
    default StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        return this;
    }

    /** The ramp that all its strategies share; null if their limit does not rise, or if each has its own ramp. */
    default @Nullable RampProgress sharedRamp() {
        return null;
    }

    /** The strategy that asks all of these, which were made by its {@link #parts} in this order. */
    default PartStrategy compose(List<PartStrategy> parts, Ticker ticker) {
        return parts.get(0);
    }

    /**
     * The same specification for a large number of strategies with one ticker, which share what they have in common: if it
     * counts periods, they begin now for all of them. It also adjusts running strategies to share that. By default nothing
     * is shared.
     *
     * @param before the earlier specification, if these strategies replace others: periods of the same length continue; null
     *     if they do not
     */
    default StrategySpec forMany(Ticker ticker, @Nullable StrategySpec before) {
        return this;
    }

    /** The same specification with another limit, like the one that {@link Strategy#setLimit} sets. */
    default StrategySpec withLimit(long limit) {
        return new LimitedSpec(this, limit);
    }

    /**
     * The format in which the state of one of many strategies is kept when the strategy is evicted. By default null: one long is kept, the
     * instant at which everything that was used will have refilled steadily. That is exact for what refills steadily. An
     * evicted window may grant its limit again, beside what it granted before; it stays within
     * {@code burst + W * permits / period} of its {@link dev.weir.spi.Account}, as after a change.
     */
    default @Nullable EvictedState evictedState(Ticker ticker) {
        return null;
    }
}

/** A specification with another limit set for its strategies; if it has several parts, for that of the first. */
record LimitedSpec(PartSpec spec, long limit) implements PartSpec, DialedSpec {
    @Override
    public StrategySpec undialed() {
        return Parts.authored(spec);
    }

    @Override
    public Class<?> kind() {
        return spec.kind();
    }

    @Override
    public @Nullable List<String> countsBy() {
        return spec.countsBy();
    }

    @Override
    public Strategy create(Ticker ticker) {
        PartStrategy created = Parts.create(spec, ticker);
        Parts.limitIs(created, limit);
        return created;
    }

    @Override
    public boolean adjust(Strategy running) {
        boolean adjusted = spec.adjust(running);
        if (adjusted) {
            Parts.limitIs(Parts.of(running), limit);
        }
        return adjusted;
    }

    @Override
    public List<StrategySpec> parts() {
        List<StrategySpec> parts = new ArrayList<>(spec.parts());
        parts.set(0, parts.size() == 1 ? this : Parts.of(parts.get(0)).withLimit(limit));
        return List.copyOf(parts);
    }

    @Override
    public PartStrategy compose(List<PartStrategy> parts, Ticker ticker) {
        return spec.compose(parts, ticker);
    }

    @Override
    public StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        return new LimitedSpec(Parts.of(spec.after(ramp, ticker)), limit);
    }

    @Override
    public @Nullable RampProgress sharedRamp() {
        return spec.sharedRamp();
    }

    @Override
    public StrategySpec withLimit(long other) {
        return spec.withLimit(other);
    }

    @Override
    public @Nullable EvictedState evictedState(Ticker ticker) {
        return spec.evictedState(ticker);
    }
}
