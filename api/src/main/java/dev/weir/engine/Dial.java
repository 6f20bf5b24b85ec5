package dev.weir.engine;

import dev.weir.Adjustable;
import dev.weir.succession.PartStrategy;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Adjustable} of one strategy, whose limit it sets. Stale, and without effect, once that strategy has been
 * replaced, or the claim of its owner closed.
 */
final class Dial implements Adjustable {
    private final Engine engine;
    private final PartStrategy strategy;
    private final Object generation;
    private final @Nullable DialClaim claim;

    Dial(Engine engine, ActiveStrategy active, @Nullable DialClaim claim) {
        this.engine = engine;
        this.strategy = active.strategy;
        this.generation = active.generation;
        this.claim = claim;
    }

    @Override
    public long limit() {
        return strategy.limit();
    }

    @Override
    public void setLimit(long limit) {
        setLimit(limit, "dial");
    }

    @Override
    public void setLimit(long limit, String why) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be >= 1, was " + limit);
        }
        engine.setLimit(strategy, this, limit, why);
    }

    @Override
    public boolean stale() {
        return engine.active.generation != generation || (claim != null && !claim.isOpen());
    }
}
