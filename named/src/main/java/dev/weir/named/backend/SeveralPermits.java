package dev.weir.named.backend;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.internal.Undoable;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two permits of one request, each of which may be of several itself; none for a request that the limit does not count.
 * Thread-safe. 24 bytes.
 */
public final class SeveralPermits extends Permit implements Undoable {
    private static final AtomicIntegerFieldUpdater<SeveralPermits> RELEASED =
            AtomicIntegerFieldUpdater.newUpdater(SeveralPermits.class, "released");

    private final @Nullable Permit first;
    private final @Nullable Permit second;
    /* 1 once a thread has won the CAS: it releases, no other. */
    private volatile int released;

    SeveralPermits(@Nullable Permit first, @Nullable Permit second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public boolean release(Outcome outcome) {
        Objects.requireNonNull(outcome, "outcome");
        return end(permit -> permit.release(outcome));
    }

    @Override
    public boolean releaseAfter(Throwable thrown) {
        Objects.requireNonNull(thrown, "thrown");
        return end(permit -> permit.releaseAfter(thrown));
    }

    @Override
    public void undo() {
        boolean unused = end(Undoable::undo);
    }

    private boolean end(Consumer<Permit> each) {
        boolean isFirst = RELEASED.compareAndSet(this, 0, 1);
        if (isFirst && first != null) {
            each.accept(first);
        }
        if (isFirst && second != null) {
            each.accept(second);
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
        return "Permit[" + first + " and " + second + (released == 1 ? ", released]" : ", held]");
    }
}
