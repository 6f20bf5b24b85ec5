package dev.weir.share;

import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import dev.weir.internal.Require;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.Parts;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The permission of a limiter to grant, which ends with its share: it is asked after each grant, so that a process which was
 * stopped grants nothing when it goes on.
 */
final class Fence {
    private final Ticker ticker;
    private final AtomicBoolean isUsed = new AtomicBoolean(true);
    private volatile Setting setting = Setting.NOTHING;
    /* Lowered before the specification, raised after it; read before a dial sets a limit. */
    private volatile long most;
    /* Compared by identity, so no other thread can pass for the share. */
    private volatile @Nullable StrategySpec next;

    private Fence(Ticker ticker) {
        this.ticker = ticker;
    }

    /** The fence of this limiter, which it keeps while its specification is one of a share. */
    static Fence of(ManagedLimiter limiter, Ticker ticker) {
        if (!(limiter.spec() instanceof FencedSpec fenced)) {
            return new Fence(ticker);
        }
        if (!fenced.fence().isUsed.compareAndSet(false, true)) {
            throw new IllegalStateException("limiter " + limiter.name() + " has a share already");
        }
        return fenced.fence();
    }

    /** Puts this in force behind the fence, whose setting stays as it is. Called by one thread at a time. */
    void reconfigure(ManagedLimiter limiter, StrategySpec spec) {
        Setting present = setting;
        if (present.share() == 0) {
            // Still grants nothing; but the limiter reads the limit behind the fence, which it names when it refuses.
            setting = new Setting(1, ticker.read(), false, false);
        }
        try {
            claim(
                    limiter,
                    new FencedSpec(spec, this),
                    Parts.create(spec, limiter.ticker()).target());
        } finally {
            setting = present;
        }
    }

    /* No more is allowed meanwhile than by both the present limit and this one. */
    private void claim(ManagedLimiter limiter, StrategySpec spec, long limit) {
        most = Math.min(most, limit);
        next = spec;
        try {
            limiter.reconfigure(spec);
        } finally {
            next = null;
        }
        most = limit;
    }

    /**
     * @throws IllegalStateException if a share sets the specification, and this is not from it
     */
    @SuppressWarnings("ReferenceEquality") // an equal one may be of an earlier, larger share
    void checkSuccessor(StrategySpec spec) {
        if (isUsed.get() && spec != next) {
            throw new IllegalStateException(
                    "a share of a quota sets the specification of this limiter: close the share to reconfigure it");
        }
    }

    /**
     * @throws IllegalArgumentException if this is more than the share allows
     */
    void checkLimit(long limit) {
        long allowed = most;
        Require.that(limit <= allowed, "limit must be <= " + allowed + ", which the share allows", limit);
    }

    /** Shuts it for good, until it is used by another share. */
    void leave() {
        shut();
        isUsed.set(false);
    }

    void open(Setting next) {
        setting = next;
    }

    void shut() {
        setting = Setting.NOTHING;
    }

    /** True while the share is 0. */
    boolean isShut() {
        return setting.share() == 0;
    }

    /** True while the share is not 0 and its time is not over. */
    boolean isOpen() {
        Setting now = setting;
        return now.share() > 0 && !now.isOver(ticker.read());
    }
}
