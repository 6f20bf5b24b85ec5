package dev.weir.testkit;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.Composition.Rate;
import java.util.ArrayList;
import java.util.List;

/**
 * A new composition, each of whose rates has granted at once all that it had. No limiter of the same composition may be
 * slower, whatever happened to it before: by docs/how/changes.md, "no change locks a caller out for longer than a new, empty
 * limit of that kind would".
 */
final class DrainedLimits {
    private final List<Strategy> strategies = new ArrayList<>();
    private final VirtualTime time;

    DrainedLimits(List<Part> parts, long[] limits, VirtualTime time) {
        this.time = time;
        for (int i = 0; i < limits.length; i++) {
            Part part = parts.get(i);
            for (StrategySpec spec : part.drained()) {
                Strategy strategy = spec.create(time);
                if (limits[i] != part.limit()) {
                    strategy.setLimit(limits[i]);
                }
                if (part.law() instanceof Rate rate) {
                    drain(
                            strategy,
                            Request.of(rate.by().at(limits[i], limits[i]).largest()));
                    drain(strategy, Request.ONE);
                }
                strategies.add(strategy);
            }
        }
    }

    private static void drain(Strategy rate, Request request) {
        while (rate.acquire(request) == Strategy.GRANTED) {
            // until nothing is left
        }
    }

    /** Acquires from all of them or from none, and releases at once: the answer of {@link Strategy#acquire}. */
    long ask(Request request) {
        long now = time.read();
        long answer = Strategy.GRANTED;
        List<Strategy> granted = new ArrayList<>();
        for (Strategy strategy : strategies) {
            long one = strategy.acquire(request);
            if (one == Strategy.GRANTED) {
                granted.add(strategy);
            }
            answer = answer < 0 || one < 0 ? Strategy.NEVER : Math.max(answer, one);
        }
        Outcome outcome = answer == Strategy.GRANTED ? Outcome.SUCCESS : Outcome.CANCELLED;
        for (Strategy strategy : granted) {
            strategy.release(request, outcome);
            if (answer != Strategy.GRANTED && strategy.traits().refunds()) {
                strategy.refund(request, now);
            }
        }
        return answer;
    }
}
