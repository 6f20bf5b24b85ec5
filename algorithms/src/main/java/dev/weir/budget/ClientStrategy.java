package dev.weir.budget;

import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.internal.Require;
import dev.weir.spi.Traits;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartStrategy;
import org.jspecify.annotations.Nullable;

/** The strategy of a {@link ClientLimit}: it counts what is in flight, and does not limit it. */
abstract sealed class ClientStrategy implements PartStrategy
        permits AdaptiveThrottle.Throttle, HedgeBudget.Hedges, RetryBudget.Retries {
    final InFlight counter = new InFlight(InFlight.MAX);

    @Override
    public final InFlight counter() {
        return counter;
    }

    @Override
    public final long limit() {
        return counter.limit();
    }

    @Override
    public final void setLimit(long limit) {}

    @Override
    public final Traits traits() {
        return Traits.CONCURRENCY.explaining(true);
    }

    @Override
    public @Nullable Quota quota(Request request) {
        return counter.quota(0);
    }

    /** Of a budget: a request of another priority than 0 takes from it. */
    @Override
    public Reason reason(Request request, long answer) {
        if (answer < 0) {
            return Reason.NEVER;
        }
        return request.priority() == 0 ? Reason.CONCURRENCY : Reason.RATE;
    }

    /** The quota of what is in flight, but at most so many permits. */
    final Quota quota(long left) {
        Quota inFlight = counter.quota(0);
        return new Quota(inFlight.limit(), Math.min(inFlight.remaining(), left), 0, 0);
    }

    /** Throws an {@code IllegalArgumentException} if a number is not in a range, or is not a number. */
    static void check(String name, double value, double min, double max) {
        boolean isWithin = value >= min && value <= max;
        Require.that(isWithin, name + " must be >= " + text(min) + " and <= " + text(max), text(value));
    }

    private static String text(double value) {
        boolean isWhole = value == Math.rint(value) && Math.abs(value) < 1e15;
        return isWhole ? Long.toString((long) value) : Double.toString(value);
    }
}
