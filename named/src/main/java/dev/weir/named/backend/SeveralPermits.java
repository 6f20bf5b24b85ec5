package dev.weir.named.backend;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.internal.Undoable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Two permits of one request, each of which may be of several itself; none for a request that the limit does not count.
 * Thread-safe. 24 bytes.
 */
public final class SeveralPermits extends Permit implements Undoable {
    private static final VarHandle RELEASED;

    static {
        try {
            RELEASED = MethodHandles.lookup().findVarHandle(SeveralPermits.class, "released", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final @Nullable Permit first;
    private final @Nullable Permit second;
    /* The thread whose CAS succeeds releases, no other. */
    private volatile boolean released;

    SeveralPermits(@Nullable Permit first, @Nullable Permit second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public boolean release(Outcome outcome) {
        Objects.requireNonNull(outcome, "outcome");
        boolean isFirst = RELEASED.compareAndSet(this, false, true);
        if (isFirst && first != null) {
            first.release(outcome);
        }
        if (isFirst && second != null) {
            second.release(outcome);
        }
        return isFirst;
    }

    @Override
    public void undo() {
        if (!RELEASED.compareAndSet(this, false, true)) {
            return;
        }
        if (first != null) {
            Undoable.undo(first);
        }
        if (second != null) {
            Undoable.undo(second);
        }
    }

    @Override
    public boolean releaseAfter(Throwable thrown) {
        Objects.requireNonNull(thrown, "thrown");
        boolean isFirst = RELEASED.compareAndSet(this, false, true);
        if (isFirst && first != null) {
            first.releaseAfter(thrown);
        }
        if (isFirst && second != null) {
            second.releaseAfter(thrown);
        }
        return isFirst;
    }

    /** At each limit by cost among them. */
    @Override
    public boolean settle(long actual) {
        boolean settled = super.settle(actual);
        if (first != null) {
            settled = first.settle(actual);
        }
        if (second != null) {
            settled |= second.settle(actual);
        }
        return settled;
    }

    /** That of the permit which left the fewest. */
    @Override
    public @Nullable Quota quota() {
        Quota one = first == null ? null : first.quota();
        Quota other = second == null ? null : second.quota();
        boolean isOne = one != null && (other == null || one.remaining() <= other.remaining());
        return isOne ? one : other;
    }

    @Override
    public String toString() {
        return "Permit[" + first + " and " + second + (released ? ", released]" : ", held]");
    }
}
