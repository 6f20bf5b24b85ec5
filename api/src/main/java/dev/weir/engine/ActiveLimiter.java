package dev.weir.engine;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.ByCost;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A limiter by its {@link ActiveStrategy}: reads what is in force once, and does not ask again if that is replaced meanwhile. By its
 * {@link Instrumentation} it is observed, counted, enforced and suspended.
 */
interface ActiveLimiter extends ManagedLimiter {
    ActiveStrategy active();

    @Override
    default StrategySpec spec() {
        return active().spec;
    }

    @Override
    default boolean holds() {
        return active().holds;
    }

    @Override
    default Set<Rejection.Reason> reasons() {
        return active().strategy.reasons();
    }

    @Override
    default int trackedOneIn() {
        return active().instrumentation.trackOneIn;
    }

    @Override
    default @Nullable Object requestData() {
        return active().instrumentation.requestData();
    }

    @Override
    default double enforced() {
        return active().instrumentation.enforced;
    }

    @Override
    default boolean charge(Request request) {
        Objects.requireNonNull(request, "request");
        ActiveStrategy now = active();
        if (!(now.strategy instanceof ByCost limit)) {
            return false;
        }
        Request counted = now.counted(request);
        return counted != null && limit.charge(counted);
    }

    @Override
    default Permit.@Nullable Quota quota(Request request) {
        ActiveStrategy now = active();
        Request counted = now.counted(request);
        return counted == null ? null : now.strategy.quota(counted);
    }

    @Override
    default @Nullable Object countedBy(Request request) {
        ActiveStrategy now = active();
        Request counted = now.counted(request);
        return counted == null ? null : now.strategy.countedBy(counted);
    }

    @Override
    default void refused(Request request, Rejection rejection) {
        ActiveStrategy now = active();
        now.instrumentation.rejected(now.countedOrSame(request), rejection);
    }

    @Override
    default Predicate<Request> grantable() {
        return active().grantable();
    }

    @Override
    default boolean refusesAlike() {
        ActiveStrategy now = active();
        return now.rule == null && !now.explains;
    }

    @Override
    default boolean holdsUpOthers(Request request, Rejection refused) {
        ActiveStrategy now = active();
        return refused.reason() == Rejection.Reason.RATE && now.lacksForAll(now.countedOrSame(request));
    }

    /** Replaces the instrumentation, after a change that is under way. */
    void instrument(UnaryOperator<Instrumentation> change);

    ReleasePath path();

    /** True if the calling thread makes a change or replaces the instrumentation. */
    boolean isChangedHere();

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
        return new Counts.Until(path().counts, Listeners.once(() -> instrument(i -> i.counting(-1))));
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

    /* While an upstream refuses many requests at once, most calls find a suspension that ends as late: they only read its end. */
    @Override
    default boolean suspendFor(Duration time, String why) {
        Objects.requireNonNull(why, "why");
        long nanos = Suspension.nanos(time);
        boolean isLonger = nanos > 0 && isSuspendedLonger(ticker().read(), nanos, why);
        if (isLonger) {
            active().instrumentation.suspended(nanos, why);
        }
        return isLonger;
    }

    private boolean isSuspendedLonger(long asked, long nanos, String why) {
        for (; ; ) {
            ActiveStrategy now = active();
            if (now.strategy == ClosedStrategy.INSTANCE) {
                return false;
            }
            Suspension present = now.instrumentation.suspension;
            boolean isLonger = present != null && present.prolong(asked, nanos, why);
            if (isLonger || (present != null && !present.isSealed())) {
                return isLonger;
            }
            Suspension begun = new Suspension(asked, nanos, why);
            instrument(i -> i.suspendedBy(begun));
            if (active().instrumentation.suspension == begun || begun.isSealed()) {
                return true;
            }
        }
    }

    /** For how many nanoseconds requests are refused now; 0 = they are not. The first request after the end removes the suspension. */
    default long suspendedNanos(ActiveStrategy now) {
        Suspension suspension = now.instrumentation.suspension;
        if (suspension == null || now.strategy == ClosedStrategy.INSTANCE) {
            return 0;
        }
        long read = ticker().read();
        if (!isChangedHere() && suspension.seal(read)) {
            instrument(Instrumentation::withoutSealed);
        }
        return Math.max(0, suspension.leftNanos(read));
    }
}
