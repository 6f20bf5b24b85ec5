package dev.weir.testkit;

import dev.weir.Outcome;
import dev.weir.Request;

/**
 * One step of a history. Its numbers have a meaning in every state of the limiter, so a history without some of its steps
 * is a history.
 */
record Step(Kind kind, long number, int key, int other) {
    private static final int MAX_COST = 6;

    /** The kind of a step. */
    enum Kind {
        TRY,
        ATTEMPT,
        ENQUEUE,
        CALL,
        FILL,
        CANCELLED_ATTEMPT,
        RELEASE,
        RELEASE_AGAIN,
        SETTLE,
        CHARGE,
        PASS,
        WAIT,
        BACK,
        CHANGE,
        DIAL,
        WATCH,
        PROBE
    }

    Request request(Composition.Source source) {
        boolean isRefundable = kind == Kind.CANCELLED_ATTEMPT || other / 4 % 3 == 0;
        Request request = new Request(number, other % 4, key < 0 ? null : source.key(key), Request.NO_DEADLINE);
        Request costing = other / 12 % 4 == 0 ? request.settled(1 + other / 48 % MAX_COST) : request;
        return isRefundable ? costing.refundable() : costing;
    }

    /** What work has cost. */
    long actual() {
        return other / 7 % (2 * MAX_COST);
    }

    /** For how many nanoseconds a request may wait. */
    long maxWait() {
        return 1L + other;
    }

    /* Mostly SUCCESS, so that rates are used up. */
    Outcome outcome() {
        int drawn = other % 7;
        return drawn < 4 ? Outcome.values()[drawn] : Outcome.SUCCESS;
    }

    String text(Composition.Source source) {
        return switch (kind) {
            case TRY -> "tryAcquire(" + arguments(source) + ")";
            case ATTEMPT -> "attempt(" + arguments(source) + ")";
            case ENQUEUE -> "acquireAsync(" + arguments(source) + "), for " + maxWait() + " ns";
            case CALL -> "call(" + arguments(source) + ", work)";
            case FILL -> "tryAcquire(" + arguments(source) + ") until it is refused";
            case CANCELLED_ATTEMPT ->
                "attempt(" + arguments(source) + "), and if it is granted release(CANCELLED), not by the twin";
            case RELEASE -> "permit[" + other + " % held].release(" + outcome() + ")";
            case RELEASE_AGAIN -> "released[" + other + " % released].release(" + outcome() + ")";
            case SETTLE -> "permit[" + other + " % held].settle(" + actual() + ")";
            case CHARGE -> "charge(" + arguments(source) + ")";
            case PASS -> "time.advance(" + number + ")";
            case WAIT -> "time.advance(the wait of the last rejection)";
            case BACK -> "time.jumpTo(time.read() - " + number + ")";
            case CHANGE -> "reconfigure(spec[" + other + " % specs])";
            case DIAL -> "dial().setLimit(" + number + ")";
            case WATCH -> "observe or unobserve (" + other % 3 + ")";
            case PROBE -> "release all; compare with drained limits by " + arguments(source);
        };
    }

    private String arguments(Composition.Source source) {
        Request request = request(source);
        return request.permits() + ", priority " + request.priority() + ", key " + request.key()
                + (request.isSettled() ? ", cost " + request.cost() : "")
                + (request.isRefundable() ? ", refundable" : "");
    }
}
