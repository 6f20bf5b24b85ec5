package dev.weir.testkit;

import dev.weir.Outcome;
import dev.weir.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One step of a life. Its numbers mean something in every state of the limiter, so that a life from which some steps were
 * taken out is a life.
 */
record Step(Kind kind, long number, int key, int other) {
    private static final int KEYS = 4;

    /** What is done. */
    enum Kind {
        TRY(30),
        ATTEMPT(10),
        CALL(5),
        FILL(3),
        CANCELLED_ATTEMPT(8),
        RELEASE(30),
        RELEASE_AGAIN(2),
        PASS(25),
        WAIT(6),
        BACK(2),
        CHANGE(8),
        DIAL(4),
        WATCH(2),
        PROBE(2);

        final int weight;

        Kind(int weight) {
            this.weight = weight;
        }
    }

    private static final Kind[] DRAWN = drawn();

    private static Kind[] drawn() {
        List<Kind> all = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            for (int i = 0; i < kind.weight; i++) {
                all.add(kind);
            }
        }
        return all.toArray(Kind[]::new);
    }

    static Step draw(SplittableRandom random, long period, int keys, boolean goesBack, boolean hasTwin) {
        Kind kind = DRAWN[random.nextInt(DRAWN.length)];
        if ((kind == Kind.BACK && !goesBack) || (kind == Kind.CANCELLED_ATTEMPT && !hasTwin)) {
            kind = Kind.TRY;
        }
        int key = random.nextInt(8) == 0 ? -1 : random.nextInt(random.nextInt(3) == 0 ? keys : Math.min(keys, KEYS));
        int other = random.nextInt(1 << 16);
        return switch (kind) {
            case PASS -> new Step(kind, pause(random, period), key, other);
            case BACK -> new Step(kind, 1 + random.nextLong(period), key, other);
            case DIAL -> new Step(kind, 1 + random.nextInt(random.nextBoolean() ? 6 : 12), key, other);
            default -> new Step(kind, random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(6), key, other);
        };
    }

    private static long pause(SplittableRandom random, long period) {
        return switch (random.nextInt(6)) {
            case 0 -> 1;
            case 1 -> period;
            case 2 -> random.nextLong(2 * period);
            case 3 -> period / (1 + random.nextInt(10));
            case 4 -> Math.max(0, period * random.nextInt(1, 4) - 1);
            default -> random.nextLong(period / 4 + 1);
        };
    }

    Request request() {
        return new Request(number, other % 4, key < 0 ? null : "k" + key, Request.NO_DEADLINE);
    }

    /* Mostly SUCCESS, so that rates are used. */
    Outcome outcome() {
        int drawn = other % 7;
        return drawn < 4 ? Outcome.values()[drawn] : Outcome.SUCCESS;
    }

    boolean cancels() {
        return outcome() == Outcome.CANCELLED;
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
