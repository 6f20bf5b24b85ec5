package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Strategy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What watches a limiter, or softens it. Immutable. A limiter without one takes the short way. */
final class Watch {
    /** Nothing watches. */
    static final Watch NONE = new Watch(List.of(), false, 1, null);

    /** Told of everything. */
    final List<LimiterObserver> observers;

    /** Whether admissions and refusals are counted. */
    final boolean counting;

    /** The enforced share as it was asked for. */
    final double enforced;

    /** Of permits that are out, if asked for. */
    final @Nullable Tracker tracker;

    /** Of permits of which nothing is to be remembered but who watches: one for all. */
    final Trace plain;

    private final LimiterObserver[] told;

    /* Most have one, and a loop around it is not made straight by the compiler. */
    private final @Nullable LimiterObserver only;

    Watch(List<LimiterObserver> observers, boolean counting, double enforced, @Nullable Tracker tracker) {
        this.observers = observers;
        this.counting = counting;
        this.enforced = enforced;
        this.tracker = tracker;
        this.plain = new Trace(this, 0, false, false);
        this.told = observers.toArray(LimiterObserver[]::new);
        this.only = told.length == 1 ? told[0] : null;
    }

    /** With these observers instead. */
    Watch telling(List<LimiterObserver> others) {
        return new Watch(others, counting, enforced, tracker);
    }

    /** The same, or null where there is nothing left to watch. */
    @Nullable
    Watch orNull() {
        return told.length == 0 && !counting && enforced >= 1 && tracker == null ? null : this;
    }

    private boolean timesNext(Engine engine) {
        if (only != null) {
            return timesNext(engine, only);
        }
        boolean wanted = false;
        for (LimiterObserver observer : told) {
            wanted |= timesNext(engine, observer);
        }
        return wanted;
    }

    /** What is to be remembered of a permit that is granted next. */
    Trace trace(Engine engine, boolean refundable) {
        boolean timed = timesNext(engine);
        boolean dated = timed || tracker != null || refundable;
        return dated ? new Trace(this, engine.ticker.read(), timed, refundable) : plain;
    }

    /** A permit of what was granted, or passed, of which everybody is told. */
    HeldPermit permit(Engine engine, Strategy granted, Request request, Trace trace, @Nullable Arrival arrival) {
        HeldPermit permit = Slot.heldPermit(engine, granted, request, trace);
        try {
            admitted(engine, permit, request, granted == Passed.INSTANCE, arrival);
        } catch (Throwable t) {
            engine.failures.ignore(t);
        }
        return permit;
    }

    private static boolean timesNext(Engine engine, LimiterObserver observer) {
        try {
            return observer.timesNext();
        } catch (Throwable t) {
            engine.failures.ignore(t);
            return false;
        }
    }

    /** What to keep of a request that waits; null if nothing. */
    @Nullable
    Arrival arrival() {
        if (tracker != null && tracker.tracksNext()) {
            return new Arrival(new Throwable("acquired here"));
        }
        return tracker != null || enforced < 1 ? new Arrival(null) : null;
    }

    private void admitted(
            Engine engine, HeldPermit permit, Request request, boolean passed, @Nullable Arrival arrival) {
        if (permit.trace().timed) {
            engine.timedOut.granted(permit);
        }
        if (counting) {
            engine.counts.countAdmitted(passed);
        }
        if (tracker != null && permit.holds()) {
            tracker.granted(permit, arrival);
        }
        if (passed) {
            passed(engine, request);
        }
        if (only != null) {
            admitted(engine, only, request);
            return;
        }
        for (LimiterObserver observer : told) {
            admitted(engine, observer, request);
        }
    }

    private void passed(Engine engine, Request request) {
        for (LimiterObserver observer : told) {
            try {
                observer.onPassed(request);
            } catch (Throwable t) {
                engine.failures.ignore(t);
            }
        }
    }

    private static void admitted(Engine engine, LimiterObserver observer, Request request) {
        try {
            observer.onAdmitted(request);
        } catch (Throwable t) {
            engine.failures.ignore(t);
        }
    }

    void rejected(Engine engine, Request request, Rejection rejection) {
        if (counting) {
            engine.counts.countRefused(rejection.reason());
        }
        for (LimiterObserver observer : told) {
            try {
                observer.onRejected(request, rejection);
            } catch (Throwable t) {
                engine.failures.ignore(t);
            }
        }
    }

    void released(Engine engine, HeldPermit permit, Request request, Outcome outcome, Trace trace) {
        long heldNanos = -1;
        if (trace.timed) {
            engine.timedOut.returned(permit);
            heldNanos = Math.max(0, engine.ticker.read() - trace.grantedAt);
        }
        if (tracker != null) {
            tracker.returned(permit);
        }
        if (only != null) {
            released(engine, only, request, outcome, heldNanos);
            return;
        }
        for (LimiterObserver observer : told) {
            released(engine, observer, request, outcome, heldNanos);
        }
    }

    private static void released(
            Engine engine, LimiterObserver observer, Request request, Outcome outcome, long heldNanos) {
        try {
            observer.onReleased(request, outcome, heldNanos);
        } catch (Throwable t) {
            engine.failures.ignore(t);
        }
    }

    void limitChanged(Engine engine, long from, long to, String why) {
        for (LimiterObserver observer : told) {
            try {
                observer.onLimitChanged(from, to, why);
            } catch (Throwable t) {
                engine.failures.ignore(t);
            }
        }
    }

    void drained(Engine engine) {
        for (LimiterObserver observer : told) {
            try {
                observer.onDrained();
            } catch (Throwable t) {
                engine.failures.ignore(t);
            }
        }
    }
}
