package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;
import java.util.function.Function;

/**
 * The release of permits: a permit returns to the strategy first, then waiters are woken, then observers are told. Each
 * step is guarded, so that no failure keeps the next one from happening. Thread-safe.
 */
final class ReleasePath {
    final String limiter;
    final Counts counts = new Counts();
    final Failures failures;
    final WakeUps wakeUps;

    ReleasePath(String limiter, Function<? super Throwable, Outcome> classifier) {
        this.limiter = limiter;
        this.failures = new Failures(limiter, counts, classifier);
        this.wakeUps = new WakeUps(failures);
    }

    /** Undoes what a strategy answered that was replaced meanwhile. A grant may have caused rejections: waiters are woken. */
    void takeBack(Strategy strategy, Request request, long answer) {
        if (answer == Strategy.GRANTED) {
            release(strategy, request, Outcome.CANCELLED);
        } else {
            wakeUps.run(null);
        }
    }

    void release(Strategy strategy, Request request, Outcome outcome) {
        try {
            returnPermits(strategy, request, outcome);
        } catch (Throwable t) {
            failures.ignore(t);
        }
        wakeUps.run(request);
    }

    void release(Strategy strategy, Request request, Outcome outcome, PermitDetails details) {
        try {
            returnPermits(strategy, request, outcome);
            if (outcome == Outcome.CANCELLED
                    && details.refundable
                    && strategy.traits().refunds()) {
                strategy.refund(request, details.grantedAt);
            }
        } catch (Throwable t) {
            failures.ignore(t);
        }
        wakeUps.run(request);
        try {
            details.instrumentation.released(request, outcome, details);
        } catch (Throwable t) {
            failures.ignore(t);
        }
    }

    /* The class of the plain counter is compared before the call, here and below: in a process with three kinds of
    strategies the compiler inlines none of their calls, and a comparison costs less than such a call. */
    static long ask(Strategy strategy, Request request) {
        return strategy instanceof InFlight counter ? counter.acquire(request) : strategy.acquire(request);
    }

    private static void returnPermits(Strategy strategy, Request request, Outcome outcome) {
        if (strategy instanceof InFlight counter) {
            counter.release(request, outcome);
        } else {
            strategy.release(request, outcome);
        }
    }
}
