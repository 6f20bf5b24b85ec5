package dev.weir.testkit;

import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.testkit.Composition.Concurrency;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.GrantList.Grant;

/**
 * A model of a limiter: the answers that it may give, by the composition and the limits in force and by all that it
 * granted.
 */
final class LimitModel {
    private final Composition.Subject subject;
    private final GrantList grants = new GrantList();
    private final LimitsInForce limits = new LimitsInForce();
    private final PermitsInFlight inFlight = new PermitsInFlight();
    private Composition inForce;
    private boolean isCharged;

    LimitModel(Composition.Subject subject, Composition first) {
        this.subject = subject;
        this.inForce = first;
        start(first);
        readMoved();
    }

    private void start(Composition next) {
        inFlight.inForce(next);
        inForce = next;
        limits.change(next);
        startRates();
    }

    Composition inForce() {
        return inForce;
    }

    GrantList grants() {
        return grants;
    }

    LimitsInForce limits() {
        return limits;
    }

    PermitsInFlight inFlight() {
        return inFlight;
    }

    boolean needsKey(Request request) {
        return !inForce.parts().stream().allMatch(part -> part.isFor(request));
    }

    /* Limits that change by themselves are read first. */
    private void startRates() {
        if (!inForce.moves()) {
            grants.inForce(inForce.parts(), limits.rates());
        }
    }

    /** Reads the limits that change by themselves, if there are any. */
    void readMoved() {
        if (inForce.moves() && limits.readMoved(subject.snapshot())) {
            grants.inForce(inForce.parts(), limits.rates());
        }
    }

    /** Something was charged, which may be a debt. */
    void charged() {
        isCharged = true;
    }

    /** Whether there may be a debt. */
    boolean isCharged() {
        return isCharged;
    }

    /** Whether a limit by cost counts such a request. */
    boolean isByCost(Request request) {
        return inForce.parts().stream().anyMatch(part -> part.isByCost() && part.isFor(request));
    }

    /** The clock was moved. */
    void pass(long nanos) {
        readMoved();
        grants.pass(nanos);
    }

    /** The limiter is to be reconfigured; read what moves afterwards. */
    void change(Composition next) {
        if (inForce.moves()) {
            grants.inForce(inForce.parts(), limits.ratesOnceRisen()); // they may go on rising, unread
        }
        grants.changed();
        start(next);
    }

    /** The limit is to be set through the dial; read what moves afterwards. */
    void setLimit(long limit) {
        grants.changed();
        limits.set(limit);
        startRates();
    }

    /** Counts a grant, and checks that it was allowed. */
    Grant granted(Request request) {
        readMoved();
        if (needsKey(request)) {
            throw new Violation("granted without a key");
        }
        for (int i = 0; i < inForce.parts().size(); i++) {
            Part part = inForce.parts().get(i);
            if (part.law() instanceof Concurrency law) {
                long before = inFlight.of(part, request);
                if (before + request.permits() > law.max().of(limits.of(i), request)) {
                    throw new Violation(
                            "granted with " + before + " in flight by " + part + " at limit " + limits.of(i));
                }
            }
        }
        Grant grant = grants.granted(request);
        String excess = grants.excess(request);
        if (!excess.isEmpty()) {
            throw new Violation("granted " + excess);
        }
        return grant;
    }

    /** Whether nothing may keep a request waiting: only concurrency limits are in force, and have room for it. */
    boolean hasRoom(Request request) {
        boolean hasRate = inForce.concurrencyLimits().size() < inForce.parts().size();
        return !hasRate
                && !inForce.moves()
                && !needsKey(request)
                && !new RejectionCheck(inForce, limits, inFlight).isTooMany(request);
    }

    /** Checks that a rejection and its reason were allowed. */
    void refused(Request request, Rejection rejection) {
        readMoved();
        RejectionCheck check = new RejectionCheck(inForce, limits, inFlight);
        if (!check.isJustified(request, needsKey(request), rejection)) {
            throw new Violation("refused " + ExecutionLog.text(rejection) + " with " + inFlight + " in flight");
        }
    }
}
