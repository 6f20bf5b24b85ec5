package dev.weir.engine;

import dev.weir.spi.Registration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The claim of one owner to the dial of a limiter, until it is closed. */
final class DialClaim implements Registration {
    private final AtomicReference<@Nullable DialClaim> current;
    private final String owner;

    private DialClaim(AtomicReference<@Nullable DialClaim> current, String owner) {
        this.current = current;
        this.owner = Objects.requireNonNull(owner, "owner");
    }

    /** Claims a dial; throws {@code IllegalStateException} while another claim to it is open. */
    static DialClaim of(AtomicReference<@Nullable DialClaim> current, String owner, String limiter) {
        DialClaim claim = new DialClaim(current, owner);
        DialClaim other = current.compareAndExchange(null, claim);
        if (other != null) {
            throw new IllegalStateException("the dial of limiter " + limiter + " is claimed by " + other.owner);
        }
        return claim;
    }

    @Override
    public void close() {
        current.compareAndSet(this, null);
    }
}
