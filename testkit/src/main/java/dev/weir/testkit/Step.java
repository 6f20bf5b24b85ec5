package dev.weir.testkit;

import dev.weir.Outcome;
import dev.weir.Request;

/**
 * One step of a history. Its numbers have a meaning in every state of the limiter, so a history without some of its steps
 * is a history.
 */
record Step(Kind kind, long number, int key, int other) {
    /** The kind of a step. */
    enum Kind {
        TRY,
        ATTEMPT,
        CALL,
        FILL,
        CANCELLED_ATTEMPT,
        RELEASE,
        RELEASE_AGAIN,
        PASS,
        WAIT,
        BACK,
        CHANGE,
        DIAL,
        WATCH,
        PROBE
    }

    Request request() {
        boolean isRefundable = kind == Kind.CANCELLED_ATTEMPT || other / 4 % 3 == 0;
        return new Request(number, other % 4, key < 0 ? null : "k" + key, Request.NO_DEADLINE, isRefundable);
    }

    /* Mostly SUCCESS, so that rates are used up. */
    Outcome outcome() {
        int drawn = other % 7;
        return drawn < 4 ? Outcome.values()[drawn] : Outcome.SUCCESS;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case TRY -> "tryAcquire(" + arguments() + ")";
            case ATTEMPT -> "attempt(" + arguments() + ")";
            case CALL -> "call(" + arguments() + ", work)";
            case FILL -> "tryAcquire(" + arguments() + ") until it is refused";
            case CANCELLED_ATTEMPT ->
                "attempt(" + arguments() + "), and if it is granted release(CANCELLED), not by the twin";
            case RELEASE -> "permit[" + other + " % held].release(" + outcome() + ")";
            case RELEASE_AGAIN -> "released[" + other + " % released].release(" + outcome() + ")";
            case PASS -> "time.advance(" + number + ")";
            case WAIT -> "time.advance(the wait of the last rejection)";
            case BACK -> "time.jumpTo(time.read() - " + number + ")";
            case CHANGE -> "reconfigure(spec[" + other + " % specs])";
            case DIAL -> "dial().setLimit(" + number + ")";
            case WATCH -> "observe or unobserve (" + other % 3 + ")";
            case PROBE -> "release all; compare with drained limits by " + arguments();
        };
    }

    private String arguments() {
        Request request = request();
        return request.permits() + ", priority " + request.priority() + ", key " + request.key()
                + (request.isRefundable() ? ", refundable" : "");
    }
}
