package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.LimiterObserver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What watches a limiter, or softens it. A limiter without one takes the short way.
 *
 * @param observers told of everything
 * @param counting whether admissions and refusals are counted
 * @param enforced the enforced share as it was asked for
 * @param tracker of permits that are out, if asked for
 */
record Watch(
        List<LimiterObserver> observers,
        boolean counting,
        double enforced,
        @Nullable Tracker tracker) {

    /** The same, or null where there is nothing left to watch. */
    @Nullable
    Watch orNull() {
        return observers.isEmpty() && !counting && enforced >= 1 && tracker == null ? null : this;
    }

    boolean timesNext(Engine engine) {
        boolean wanted = false;
        for (LimiterObserver observer : observers) {
            try {
                wanted |= observer.timesNext();
            } catch (Throwable t) {
                engine.swallow(t);
            }
        }
        return wanted;
    }

    void admitted(Engine engine, HeldPermit permit, Request request) {
        if (counting) {
            engine.counts.countAdmitted();
        }
        if (tracker != null) {
            tracker.granted(permit);
        }
        for (LimiterObserver observer : observers) {
            try {
                observer.onAdmitted(request);
            } catch (Throwable t) {
                engine.swallow(t);
            }
        }
    }

    void rejected(Engine engine, Request request, Rejection rejection) {
        if (counting) {
            engine.counts.countRefused(rejection.reason());
        }
        for (LimiterObserver observer : observers) {
            try {
                observer.onRejected(request, rejection);
            } catch (Throwable t) {
                engine.swallow(t);
            }
        }
    }

    void released(Engine engine, Request request, Outcome outcome, long heldNanos) {
        for (LimiterObserver observer : observers) {
            try {
                observer.onReleased(request, outcome, heldNanos);
            } catch (Throwable t) {
                engine.swallow(t);
            }
        }
    }

    void limitChanged(Engine engine, long from, long to, String why) {
        for (LimiterObserver observer : observers) {
            try {
                observer.onLimitChanged(from, to, why);
            } catch (Throwable t) {
                engine.swallow(t);
            }
        }
    }

    void drained(Engine engine) {
        for (LimiterObserver observer : observers) {
            try {
                observer.onDrained();
            } catch (Throwable t) {
                engine.swallow(t);
            }
        }
    }
}
