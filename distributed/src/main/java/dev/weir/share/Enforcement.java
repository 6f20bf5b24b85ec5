package dev.weir.share;

import dev.weir.Ticker;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The share that this instance enforces, set by the rounds and by the fence. Thread-safe. */
final class Enforcement {
    /*
     * `wanted` is decided first, by compare-and-set; then one thread at a time applies the last one to the target, and again if
     * another one came meanwhile. So the fence never waits for a round that is calling the target, and is not undone by it:
     *
     *     round                               fence
     *     wanted := 40 until t
     *     target.set(40) ...                  t has come: wanted := degraded
     *                                         work was not 0: leaves it to the round
     *     ... done; work is not 0
     *     target.set(degraded)
     *
     * A round that lowers goes on only if the target has applied a share as low.
     */
    private final Target target;
    private final Ticker ticker;
    private final long degraded;
    private final AtomicReference<Setting> wanted = new AtomicReference<>(Setting.NOTHING);
    private final AtomicInteger work = new AtomicInteger();
    private volatile @Nullable Setting applied;
    private volatile @Nullable Throwable failure;

    Enforcement(Target target, Ticker ticker, long degraded) {
        this.target = target;
        this.ticker = ticker;
        this.degraded = degraded;
    }

    long share() {
        Setting now = applied;
        if (now == null) {
            return 0;
        }
        return now.isOver(ticker.read()) ? Math.min(now.share(), degraded) : now.share();
    }

    Setting wanted() {
        return Objects.requireNonNull(wanted.get());
    }

    /** The failure of the last call of the target; null if it did not throw. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Lowers the share to this, if it is more; false if it may still be more when this returns. */
    boolean lower(long share) {
        set(now -> now.atMost(share));
        Setting now = applied;
        return now != null && now.share() <= share;
    }

    /** Keeps the share until this reading, unless it has been fenced. */
    void extend(long until) {
        set(now -> now.isOver(ticker.read()) ? now.fencedTo(degraded) : now.until(until));
    }

    /** Sets the share after it was written into the ledger, also if it had been fenced. */
    void grant(long share, long until) {
        set(now -> {
            boolean late = now.closed() || ticker.read() - until >= 0;
            return late ? now : new Setting(share, until, false, false);
        });
    }

    /** Lowers the share to the degraded one if its time is over. */
    void fence() {
        set(now -> now.isOver(ticker.read()) ? now.fencedTo(degraded) : now);
    }

    /** Lowers the share to the degraded one. */
    void lost() {
        set(now -> now.fencedTo(degraded));
    }

    /** Sets the target again, if it threw. */
    void retry() {
        set(now -> now);
    }

    /** Lowers the share to 0 for good, at once or after what is being set now. */
    void close() {
        set(now -> Setting.CLOSED);
    }

    /** True after it was closed, once the target enforces 0. */
    boolean isEnded() {
        Setting now = applied;
        return now != null && now.closed();
    }

    private void set(UnaryOperator<Setting> change) {
        wanted.updateAndGet(change);
        if (work.getAndIncrement() != 0) {
            return;
        }
        int done;
        do {
            done = work.get();
            apply(wanted());
        } while (work.addAndGet(-done) != 0);
    }

    @SuppressWarnings("ReferenceEquality") // an equal one that was set later may have been set for a reason
    private void apply(Setting next) {
        if (next == applied) {
            return;
        }
        try {
            target.set(next);
            applied = next;
            failure = null;
            if (next.closed()) {
                target.ended();
            }
        } catch (Throwable t) {
            failure = t;
        }
    }
}
