package dev.weir.engine;

import dev.weir.spi.Registration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The claim of one owner to the dial of a limiter, until it is closed. */
final class DialClaim implements Registration {
    /*
     * The owner's dial is asked whether it is stale under the lock of changes, and the claim is closed under the same lock:
     *
     *     owner                                who closes the claim
     *     calculates a limit
     *                                          changes { closes }, sets the limit of a document
     *     changes { stale: sets nothing }
     *
     * So a limit that was calculated before the end of the claim is not set after it.
     */
    private final AtomicReference<@Nullable DialClaim> current;
    private final Object changes;
    private final String owner;

    private DialClaim(AtomicReference<@Nullable DialClaim> current, Object changes, String owner) {
        this.current = current;
        this.changes = changes;
        this.owner = Objects.requireNonNull(owner, "owner");
    }

    /** Claims a dial; throws {@code IllegalStateException} while another claim to it is open. */
    static DialClaim of(AtomicReference<@Nullable DialClaim> current, Object changes, String owner, String limiter) {
        DialClaim claim = new DialClaim(current, changes, owner);
        DialClaim other = current.compareAndExchange(null, claim);
        if (other != null) {
            throw new IllegalStateException("the dial of limiter " + limiter + " is claimed by " + other.owner);
        }
        return claim;
    }

    /** This claim, if it is to the dial whose claims are kept there. */
    static DialClaim checked(Registration claim, AtomicReference<@Nullable DialClaim> current) {
        if (claim instanceof DialClaim known && known.current == current) {
            return known;
        }
        throw new IllegalArgumentException("claim must be one to the dial of this limiter, was " + claim);
    }

    boolean isOpen() {
        return current.get() == this;
    }

    @Override
    public void close() {
        synchronized (changes) {
            current.compareAndSet(this, null);
        }
    }
}
