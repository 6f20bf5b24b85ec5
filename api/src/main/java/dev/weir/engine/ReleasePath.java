package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.succession.ByCost;
import dev.weir.succession.InFlight;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The release of permits: a permit returns to the strategy first, then waiters are woken, then observers are told. Each
 * step is guarded, so that no failure keeps the next one from happening. Thread-safe.
 */
final class ReleasePath {
    final String limiter;
    final Counts counts = new Counts();
    final Failures failures;
    final WakeUps wakeUps;

    /** Charges the limit in force with the cost of a request. */
    private final Predicate<Request> charge;

    ReleasePath(String limiter, Function<? super Throwable, Outcome> classifier, Predicate<Request> charge) {
        this.charge = charge;
        this.limiter = limiter;
        this.failures = new Failures(limiter, counts, classifier);
        this.wakeUps = new WakeUps(failures);
    }

    /** Asks a strategy. If it throws, waiters are woken: what it had granted by then may have caused rejections. */
    long ask(Strategy strategy, Request request) {
        try {
            return strategy.acquire(request);
        } catch (Throwable t) {
            wakeUps.run(null);
            throw t;
        }
    }

    /** Undoes what a strategy answered that was replaced meanwhile. A grant may have caused rejections: waiters are woken. */
    void takeBack(Strategy strategy, Request request, long answer) {
        if (answer == Strategy.GRANTED) {
            release(strategy, request, Outcome.CANCELLED, true);
        } else {
            wakeUps.run(null);
        }
    }

    /** Releases a grant of which nothing else is known; {@code refunds} = {@code CANCELLED} refunds what it spent. */
    void release(Strategy strategy, Request request, Outcome outcome, boolean refunds) {
        try {
            returnPermits(strategy, request, outcome, refunds);
        } catch (Throwable t) {
            failures.ignore(t);
        }
        wakeUps.run(request);
    }

    void release(Strategy strategy, Request request, Outcome outcome, boolean refunds, PermitDetails details) {
        try {
            returnPermits(strategy, request, outcome, refunds);
            if (outcome == Outcome.CANCELLED
                    && refunds
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

    /** Settles a grant by cost: a difference to the estimate is refunded where it was granted, or charged to the limit in force. */
    void settle(ByCost granted, Request request, long actual, long grantedAt) {
        long back = request.cost() - actual;
        try {
            if (back < 0) {
                boolean unused = charge.test(request.settled(-back));
            } else if (back > 0) {
                granted.refundCost(request.settled(back), grantedAt);
            }
        } catch (Throwable t) {
            failures.ignore(t);
        }
        if (back > 0) {
            wakeUps.run(request);
        }
    }

    /* For a strategy, CANCELLED is a grant that is undone. The plain counter comes first, as in the engine. */
    private static void returnPermits(Strategy strategy, Request request, Outcome outcome, boolean refunds) {
        Outcome told = outcome == Outcome.CANCELLED && !refunds ? Outcome.IGNORED : outcome;
        if (strategy instanceof InFlight counter) {
            counter.release(request, told);
        } else {
            strategy.release(request, told);
        }
    }
}
