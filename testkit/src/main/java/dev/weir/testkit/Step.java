package dev.weir.testkit;

import dev.weir.Outcome;
import dev.weir.Request;

/**
 * One step of a life. Its numbers mean something in every state of the limiter, so that a life from which some steps were
 * taken out is a life.
 */
record Step(Kind kind, long number, int key, int other) {
    /** What is done. */
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
        return new Request(number, other % 4, key < 0 ? null : "k" + key, Request.NO_DEADLINE);
    }

    /* Mostly SUCCESS, so that rates are used. */
    Outcome outcome() {
        int drawn = other % 7;
        return drawn < 4 ? Outcome.values()[drawn] : Outcome.SUCCESS;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case TRY -> "tryAcquire(" + told() + ")";
            case ATTEMPT -> "attempt(" + told() + ")";
            case CALL -> "call(" + told() + ", work)";
            case FILL -> "tryAcquire(" + told() + ") until it is refused";
            case CANCELLED_ATTEMPT ->
                "attempt(" + told() + "), and if it is granted release(CANCELLED), not by the twin";
            case RELEASE -> "permit[" + other + " % held].release(" + outcome() + ")";
            case RELEASE_AGAIN -> "released[" + other + " % released].release(" + outcome() + ")";
            case PASS -> "time.advance(" + number + ")";
            case WAIT -> "time.advance(what the last refusal told)";
            case BACK -> "time.jumpTo(time.read() - " + number + ")";
            case CHANGE -> "reconfigure(spec[" + other + " % specs])";
            case DIAL -> "dial().setLimit(" + number + ")";
            case WATCH -> "observe or unobserve (" + other % 3 + ")";
            case PROBE -> "release all; compare with a drained one by " + told();
        };
    }

    private String told() {
        Request request = request();
        return request.permits() + ", priority " + request.priority() + ", key " + request.key();
    }
}
