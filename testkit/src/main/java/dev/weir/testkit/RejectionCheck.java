package dev.weir.testkit;

import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.testkit.Composition.Concurrency;
import dev.weir.testkit.Composition.Part;

/** A check that the limits in force allow a rejection for the reason and with the wait that it gives. */
record RejectionCheck(Composition inForce, LimitsInForce limits, PermitsInFlight inFlight) {
    boolean isJustified(Request request, boolean lacksKey, Rejection rejection) {
        long wait = rejection.retryAfterNanos();
        return switch (rejection.reason()) {
            case NEVER -> isNever(request) && wait == 0;
            case KEY_MISSING -> lacksKey && wait == 0;
            case CONCURRENCY, SHED -> (lacksKey || isTooMany(request)) && (wait == 0 || inForce.moves());
            case RATE -> (hasRate() || inForce.moves()) && wait > 0;
            default -> false;
        };
    }

    private boolean isNever(Request request) {
        for (int i = 0; i < inForce.parts().size(); i++) {
            if (part(i).law() instanceof Concurrency law
                    ? request.permits() > law.min().of(limits.of(i), request)
                    : limits.isTooLarge(i, part(i).amountOf(request))) {
                return true;
            }
        }
        return false;
    }

    boolean isTooMany(Request request) {
        for (int i = 0; i < inForce.parts().size(); i++) {
            if (part(i).law() instanceof Concurrency law
                    && inFlight.of(part(i), request) + request.permits()
                            > law.min().of(limits.of(i), request)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasRate() {
        return inForce.parts().size() > inForce.concurrencyLimits().size();
    }

    private Part part(int index) {
        return inForce.parts().get(index);
    }
}
