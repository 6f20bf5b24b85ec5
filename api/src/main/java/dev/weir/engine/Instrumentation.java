package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.internal.Require;
import dev.weir.spi.LimiterObserver;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The optional steps of an admission: observers, counts, tracking, enforcement in part, suspension. Immutable; guards observers. */
final class Instrumentation {
    private final List<LimiterObserver> observers;

    /** Those that see no requests. */
    private final List<LimiterObserver> limitObservers;

    final double enforced;

    /** True if there is anything to do. If not, admission takes the short path. */
    final boolean isActive;

    /* Those that have the limiter count; less than 0 = for ever. */
    private final int counting;

    /** One permit in so many is tracked; 0 = none. */
    final int trackOneIn;

    /** Until when requests are refused; null if they are not. A sealed one is not taken over. */
    final @Nullable Suspension suspension;

    private final OutstandingPermits outstanding;
    private final Failures failures;
    private final Counts counts;
    private final LimiterObserver[] all;

    /* Most limiters have one observer, and the compiler does not unroll a loop around it. */
    private final @Nullable LimiterObserver only;

    /* Shared by all permits that need no data of their own; null if their release has nothing to notify. */
    private final @Nullable PermitDetails shared;

    /** Only tracks one permit in so many; none if that is 0. */
    Instrumentation(int trackOneIn, OutstandingPermits outstanding, Failures failures, Counts counts) {
        this(List.of(), List.of(), 0, 1, trackOneIn, null, outstanding, failures, counts);
    }

    private Instrumentation(
            List<LimiterObserver> observers,
            List<LimiterObserver> limitObservers,
            int counting,
            double enforced,
            int trackOneIn,
            @Nullable Suspension suspension,
            OutstandingPermits outstanding,
            Failures failures,
            Counts counts) {
        this.observers = observers;
        this.limitObservers = limitObservers;
        this.counting = counting;
        this.enforced = enforced;
        this.trackOneIn = trackOneIn;
        this.suspension = suspension == null || suspension.isSealed() ? null : suspension;
        this.outstanding = outstanding;
        this.failures = failures;
        this.counts = counts;
        this.all = observers.toArray(LimiterObserver[]::new);
        this.only = all.length == 1 ? all[0] : null;
        this.isActive = all.length > 0 || counting != 0 || enforced < 1 || trackOneIn > 0 || this.suspension != null;
        this.shared = isActive ? new PermitDetails(this, 0, false, false) : null;
    }

    /** The same with one observer more or less. */
    Instrumentation observedBy(LimiterObserver observer, boolean seesRequests, boolean added) {
        List<LimiterObserver> present = seesRequests ? observers : limitObservers;
        List<LimiterObserver> next = added ? Listeners.with(present, observer) : Listeners.without(present, observer);
        return new Instrumentation(
                seesRequests ? next : observers,
                seesRequests ? limitObservers : next,
                counting,
                enforced,
                trackOneIn,
                suspension,
                outstanding,
                failures,
                counts);
    }

    /** The same, counting for one more or, if {@code change} is -1, for one less. */
    Instrumentation counting(int change) {
        return counting < 0 ? this : countingFor(counting + change);
    }

    /** The same, counting from now on. */
    Instrumentation countingForEver() {
        return countingFor(-1);
    }

    private Instrumentation countingFor(int many) {
        return new Instrumentation(
                observers, limitObservers, many, enforced, trackOneIn, suspension, outstanding, failures, counts);
    }

    Instrumentation enforcing(double share) {
        Require.that(share >= 0 && share <= 1, "share must be within 0 and 1", share);
        return new Instrumentation(
                observers, limitObservers, counting, share, trackOneIn, suspension, outstanding, failures, counts);
    }

    Instrumentation tracking(int oneIn) {
        Require.that(oneIn >= 0, "oneIn must be >= 0", oneIn);
        return new Instrumentation(
                observers, limitObservers, counting, enforced, oneIn, suspension, outstanding, failures, counts);
    }

    /** The same, suspended until then; only the same if it is suspended already. */
    Instrumentation suspendedBy(Suspension begun) {
        return suspension == null || suspension.isSealed() ? suspended(begun) : this;
    }

    /** The same, without a suspension that is sealed. */
    Instrumentation withoutSealed() {
        return suspended(suspension);
    }

    private Instrumentation suspended(@Nullable Suspension until) {
        return new Instrumentation(
                observers, limitObservers, counting, enforced, trackOneIn, until, outstanding, failures, counts);
    }

    /** The data of a permit that may be granted next; null if there is none to keep. Called before the grant. */
    @Nullable
    PermitDetails details(boolean refundable) {
        boolean timed = timesNext();
        boolean own = timed || refundable || trackOneIn > 0;
        return own ? new PermitDetails(this, outstanding.now(), timed, refundable) : shared;
    }

    private boolean timesNext() {
        if (only != null) {
            return timesNext(only);
        }
        boolean wanted = false;
        for (LimiterObserver observer : all) {
            wanted |= timesNext(observer);
        }
        return wanted;
    }

    private boolean timesNext(LimiterObserver observer) {
        try {
            return observer.timesNext();
        } catch (Throwable t) {
            failures.ignore(t);
            return false;
        }
    }

    /** The data of a request that is going to wait; null if there is none to keep. */
    @Nullable
    RequestData requestData() {
        Throwable stack = outstanding.nextStack(trackOneIn);
        return trackOneIn > 0 || enforced < 1 ? new RequestData(stack) : null;
    }

    /** The data of a request that waited. If it has none, its permit is not tracked. Null if none is. */
    @Nullable
    RequestData known(@Nullable Object requestData) {
        if (requestData instanceof RequestData known) {
            return known;
        }
        return trackOneIn > 0 ? new RequestData(null) : null;
    }

    /** A permit was granted: one that {@code holds} until it is released, or not, or one that {@code passed} over the limit. */
    void admitted(
            PermitDetails details, Request request, boolean holds, boolean passed, @Nullable RequestData requestData) {
        if (counting != 0) {
            counts.countAdmitted(passed);
        }
        if (holds && details != shared) {
            outstanding.add(details, requestData, trackOneIn);
        }
        if (passed) {
            each(observers, observer -> observer.onPassed(request));
        }
        if (only != null) {
            admitted(only, request);
            return;
        }
        for (LimiterObserver observer : all) {
            admitted(observer, request);
        }
    }

    private void admitted(LimiterObserver observer, Request request) {
        try {
            observer.onAdmitted(request);
        } catch (Throwable t) {
            failures.ignore(t);
        }
    }

    void rejected(Request request, Rejection rejection) {
        if (counting != 0) {
            counts.countRefused(rejection.reason());
        }
        for (LimiterObserver observer : all) {
            try {
                observer.onRejected(request, rejection);
            } catch (Throwable t) {
                failures.ignore(t);
            }
        }
    }

    void released(Request request, Outcome outcome, PermitDetails details) {
        outstanding.remove(details);
        long heldNanos = details.timed ? Math.max(0, outstanding.now() - details.grantedAt) : -1;
        if (only != null) {
            released(only, request, outcome, heldNanos);
            return;
        }
        for (LimiterObserver observer : all) {
            released(observer, request, outcome, heldNanos);
        }
    }

    private void released(LimiterObserver observer, Request request, Outcome outcome, long heldNanos) {
        try {
            observer.onReleased(request, outcome, heldNanos);
        } catch (Throwable t) {
            failures.ignore(t);
        }
    }

    void limitChanged(long from, long to, String why) {
        each(observers, observer -> observer.onLimitChanged(from, to, why));
        each(limitObservers, observer -> observer.onLimitChanged(from, to, why));
    }

    void suspended(long nanos, String why) {
        each(observers, observer -> observer.onSuspended(nanos, why));
        each(limitObservers, observer -> observer.onSuspended(nanos, why));
    }

    void drained() {
        each(observers, LimiterObserver::onDrained);
        each(limitObservers, LimiterObserver::onDrained);
    }

    private void each(List<LimiterObserver> told, Consumer<LimiterObserver> event) {
        for (LimiterObserver observer : told) {
            try {
                event.accept(observer);
            } catch (Throwable t) {
                failures.ignore(t);
            }
        }
    }
}
