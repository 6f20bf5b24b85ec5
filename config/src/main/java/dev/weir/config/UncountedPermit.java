package dev.weir.config;

import dev.weir.Outcome;
import dev.weir.Permit;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** A permit of a request that a limit does not count, because the request has no key; it holds nothing. Thread-safe. */
final class UncountedPermit extends Permit {
    private final AtomicBoolean released = new AtomicBoolean();

    @Override
    public boolean release(Outcome outcome) {
        Objects.requireNonNull(outcome, "outcome");
        return released.compareAndSet(false, true);
    }
}
