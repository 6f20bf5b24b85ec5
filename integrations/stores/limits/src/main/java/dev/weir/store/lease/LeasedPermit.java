package dev.weir.store.lease;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A permit of a {@link StoreSemaphore}, which is renewed until it is released. It is lost if that was not possible for the length of
 * its lease: because this process stood still, or the store did not answer. Then another instance may hold it, and the work should
 * stop. What it writes meanwhile is refused by a resource that remembers the greatest {@linkplain #fencingToken fencing token} that
 * it has seen. Thread-safe; no method blocks.
 */
public final class LeasedPermit extends Permit {
    /** The token of a permit that was granted while the store was away, and that it has not counted yet. */
    static final long NOT_COUNTED = 0;

    private enum State {
        HELD,
        LOST,
        RELEASED
    }

    private final HeldLeases owner;
    private final long permits;
    private final @Nullable Quota quota;
    /* A release writes it, then reads the token; a charge writes the token, then reads this: one of them returns it. */
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);
    private final List<Runnable> listeners = new ArrayList<>(1);
    private volatile long token;
    private volatile long end;

    LeasedPermit(HeldLeases owner, long permits, long token, long end, @Nullable Quota quota) {
        this.owner = owner;
        this.permits = permits;
        this.token = token;
        this.end = end;
        this.quota = quota;
    }

    /**
     * A number that is greater for each later grant of the store, to any instance. 0 if the permit was granted while the
     * store did not answer, and it has not counted it yet. A request that waited may get a permit which the store granted up to
     * {@linkplain StoreSemaphore.Builder#poll a poll} before.
     */
    public long fencingToken() {
        return token;
    }

    /**
     * False once the permit was released, or is lost: a renewal said so, or by the clock of this instance the lease could have
     * ended. It does not become true again.
     */
    public boolean isHeld() {
        if (isLive()) {
            return true;
        }
        lose(true);
        return false;
    }

    /** As {@link #isHeld}, but nobody is told of a loss. */
    boolean isLive() {
        return state.get() == State.HELD && (token == NOT_COUNTED || owner.remaining(end) > 0);
    }

    /**
     * Calls the action once if the permit is lost before it is released; at once if it is lost already. What it throws is
     * ignored. It is called by the executor of the semaphore.
     */
    public void onLost(Runnable action) {
        Objects.requireNonNull(action, "action");
        synchronized (listeners) {
            if (state.get() == State.HELD) {
                listeners.add(action);
                return;
            }
        }
        if (state.get() == State.LOST) {
            owner.execute(action);
        }
    }

    @Override
    public boolean release(Outcome outcome) {
        Objects.requireNonNull(outcome, "outcome");
        boolean first = state.getAndSet(State.RELEASED) != State.RELEASED;
        if (first) {
            owner.released(this);
        }
        return first;
    }

    @Override
    public @Nullable Quota quota() {
        return quota;
    }

    long permits() {
        return permits;
    }

    long end() {
        return end;
    }

    HeldLease lease() {
        return new HeldLease(token, permits);
    }

    /**
     * The store counts it until then, by the ticker. False if it is released or lost, so that the store must be told.
     *
     * @param renewed the token that it counts; another one than before only if it had none
     */
    boolean renewed(long renewed, long until) {
        if (token == NOT_COUNTED) {
            end = until;
            token = renewed;
        } else if (isHeld() && until - end > 0) {
            end = until;
        }
        return state.get() == State.HELD;
    }

    /** {@code early}: the store may still count it. */
    void lose(boolean early) {
        if (!state.compareAndSet(State.HELD, State.LOST)) {
            return;
        }
        owner.lost(this, early);
        List<Runnable> told;
        synchronized (listeners) {
            told = List.copyOf(listeners);
            listeners.clear();
        }
        told.forEach(owner::execute);
    }

    @Override
    public String toString() {
        return "LeasedPermit[" + token + ", " + permits + (permits == 1 ? " permit, " : " permits, ") + state + "]";
    }
}
