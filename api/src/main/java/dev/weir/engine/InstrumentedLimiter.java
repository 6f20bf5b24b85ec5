package dev.weir.engine;

import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** The part of a limiter by which it is observed, counted and enforced: each call replaces its {@link Instrumentation}. */
interface InstrumentedLimiter extends ManagedLimiter {
    /** Replaces the instrumentation, after a change that is under way. */
    void instrument(UnaryOperator<Instrumentation> change);

    ReleasePath path();

    @Override
    default Registration observe(LimiterObserver observer, boolean seesRequests) {
        Objects.requireNonNull(observer, "observer");
        instrument(i -> i.observedBy(observer, seesRequests, true));
        return Listeners.once(() -> instrument(i -> i.observedBy(observer, seesRequests, false)));
    }

    @Override
    default Counts counts() {
        instrument(Instrumentation::countingForEver);
        return path().counts;
    }

    @Override
    default Counting count() {
        instrument(i -> i.counting(1));
        return path().counts.until(Listeners.once(() -> instrument(i -> i.counting(-1))));
    }

    @Override
    default void enforce(double share) {
        instrument(i -> i.enforcing(share));
        path().wakeUps.run(null);
    }

    @Override
    default void trackPermits(int oneIn) {
        instrument(i -> i.tracking(oneIn));
    }
}
