package dev.weir.engine;

import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.spi.LimitView;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A limiter as those see it who only read it: meters, consoles, logs. Thread-safe. */
public interface LimiterView extends LimitView {
    /** The present state. Each figure is exact, but they are not read at one instant. */
    Snapshot snapshot();

    /**
     * The counts. Counting starts with the first call of this method, and costs nothing before. It does not end: {@link #count}
     * counts for a time.
     */
    Counts counts();

    /**
     * Counts from now on until the result is closed. Counting ends when all such results are closed, unless {@link #counts} was
     * called. The totals are those of {@link #counts}: they never fall, and what came while nothing counted is not in them.
     */
    Counting count();

    /**
     * The reasons for which the limit in force may refuse a request; those of a queue before the limiter are not among them.
     * Changes only when another specification is put in force or the limiter is closed.
     */
    Set<Reason> reasons();

    /**
     * Adds an observer until the registration is closed. After that it is still told of the release of permits whose grant it
     * was told of.
     */
    default Registration observe(LimiterObserver observer) {
        return observe(observer, true);
    }

    /**
     * Adds an observer until the registration is closed.
     *
     * @param seesRequests false = it is only told of changes of the limit and of the last release after the limiter was closed,
     *     and admission does nothing for it
     */
    Registration observe(LimiterObserver observer, boolean seesRequests);

    /** A view for code that must not change the limiter: no cast gives the limiter. */
    static LimiterView of(LimiterView limiter) {
        return new LimiterView() {
            @Override
            public String name() {
                return limiter.name();
            }

            @Override
            public StrategySpec spec() {
                return limiter.spec();
            }

            @Override
            public Permit.@Nullable Quota quota(Request request) {
                return limiter.quota(request);
            }

            @Override
            public Snapshot snapshot() {
                return limiter.snapshot();
            }

            @Override
            public Counts counts() {
                return limiter.counts();
            }

            @Override
            public Counting count() {
                return limiter.count();
            }

            @Override
            public Set<Reason> reasons() {
                return limiter.reasons();
            }

            @Override
            public Registration observe(LimiterObserver observer, boolean seesRequests) {
                return limiter.observe(observer, seesRequests);
            }
        };
    }

    /** The counts, kept up to date until this is closed. Closing again does nothing. Thread-safe. */
    interface Counting extends Registration {
        /** The totals. After {@link #close} they only grow if something else has the limiter count. */
        Counts counts();
    }
}
