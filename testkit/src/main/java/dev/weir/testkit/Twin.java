package dev.weir.testkit;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import org.jspecify.annotations.Nullable;

/**
 * A second limiter of the same composition. It gets the same requests but those that cost nothing, is not observed and
 * evicts no key, and has to answer the same. It is given up when its answers may begin to differ.
 */
final class Twin {
    private @Nullable ManagedLimiter limiter;

    Twin(Composition composition, VirtualTime time) {
        limiter = Limiters.builder("twin", composition.roomy()).ticker(time).build();
    }

    private Twin() {}

    static Twin none() {
        return new Twin();
    }

    void giveUp() {
        limiter = null;
    }

    void reconfigure(Composition next) {
        if (limiter != null) {
            limiter.reconfigure(next.roomy());
        }
    }

    void setLimit(long limit) {
        if (limiter != null) {
            limiter.dial().setLimit(limit);
        }
    }

    void charge(Request request) {
        if (limiter != null) {
            limiter.charge(request);
        }
    }

    /** The permit of the twin; null if it refuses, as it then must, or was given up. */
    @Nullable
    Permit ask(Request request, boolean attempt, boolean isGranted) {
        if (limiter == null) {
            return null;
        }
        Decision answer = attempt ? limiter.attempt(request) : limiter.tryAcquire(request);
        if (answer instanceof Permit != isGranted) {
            throw new Violation("the twin, to which nothing refused, cancelled, evicted or observed happened, answered "
                    + ExecutionLog.text(answer));
        }
        return answer instanceof Permit permit ? permit : null;
    }
}
