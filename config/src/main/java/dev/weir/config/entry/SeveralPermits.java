package dev.weir.config.entry;

import dev.weir.Outcome;
import dev.weir.Permit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The permits of one request of several limits; none for a request that the limit does not count. Thread-safe. */
public final class SeveralPermits extends Permit {
    private final List<Permit> permits;
    private final AtomicBoolean released = new AtomicBoolean();

    public SeveralPermits(List<Permit> permits) {
        this.permits = List.copyOf(permits);
    }

    @Override
    public boolean release(Outcome outcome) {
        Objects.requireNonNull(outcome, "outcome");
        return each(permit -> permit.release(outcome));
    }

    @Override
    public boolean releaseAfter(Throwable thrown) {
        Objects.requireNonNull(thrown, "thrown");
        return each(permit -> permit.releaseAfter(thrown));
    }

    private boolean each(Consumer<Permit> release) {
        boolean isFirst = released.compareAndSet(false, true);
        if (isFirst) {
            permits.forEach(release);
        }
        return isFirst;
    }

    @Override
    public @Nullable Quota quota() {
        return permits.stream()
                .map(Permit::quota)
                .filter(Objects::nonNull)
                .min(Comparator.comparingLong(Quota::remaining))
                .orElse(null);
    }
}
