package dev.weir.distributed;

import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import java.util.concurrent.atomic.AtomicBoolean;

/** Whether a limiter may grant now: asked after each grant, so that a process which was stopped grants nothing when it goes on. */
final class Fence {
    private final Ticker ticker;
    private volatile Setting setting = Setting.NOTHING;

    private final AtomicBoolean isUsed = new AtomicBoolean(true);

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

    /** Whether the share is 0. */
    boolean isShut() {
        return setting.share() == 0;
    }

    /** Whether the share is not 0 and its time is not over. */
    boolean isOpen() {
        Setting now = setting;
        return now.share() > 0 && !now.isOver(ticker.read());
    }
}
