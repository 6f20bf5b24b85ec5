package dev.weir.share;

import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import org.jspecify.annotations.Nullable;

/**
 * The claim of a share on its limiter: only the share changes the specification, and no dial sets a limit above that of the
 * share.
 */
final class SpecClaim {
    /* Lowered before the specification, raised after it; read before the dial sets a limit. */
    private volatile long most;
    /* Compared by identity, so no other thread can pass for the share. */
    private volatile @Nullable StrategySpec next;

    /** Changes the specification, and the limit, for the share. No more is allowed meanwhile than by both the present one and this. */
    void reconfigure(ManagedLimiter limiter, StrategySpec spec, long limit) {
        most = Math.min(most, limit);
        next = spec;
        try {
            limiter.reconfigure(spec);
        } finally {
            next = null;
        }
        most = limit;
    }

    @SuppressWarnings("ReferenceEquality") // an equal one may be of an earlier, larger share
    void checkSuccessor(StrategySpec spec) {
        if (spec != next) {
            throw new IllegalStateException(
                    "a share of a quota sets the specification of this limiter: close the share to reconfigure it");
        }
    }

    void checkLimit(long limit) {
        long allowed = most;
        if (limit > allowed) {
            throw new IllegalArgumentException(
                    "limit must be <= " + allowed + ", which the share allows, was " + limit);
        }
    }
}
