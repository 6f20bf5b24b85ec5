package dev.weir.algorithms;

import static dev.weir.spi.Strategy.GRANTED;
import static dev.weir.spi.Strategy.UNTIL_RELEASE;

import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.RampProgress;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The steps by which the limit of a concurrency limit rises while it warms up. */
final class WarmingSteps {
    /*
     * Steps are taken under the monitor, and so is every request that a later step may help: what its rejection tells of the
     * next step is then true. `step` is published after its limit was set.
     */
    final PartStrategy inner;
    private final LongSupplier inFlight;
    /* These are written under the monitor, and read by requests once the limit is warm. */
    private volatile StrategySpec target;
    volatile RampProgress ramp;
    volatile long full;
    private volatile int step;

    WarmingSteps(PartStrategy inner, StrategySpec target, RampProgress ramp) {
        this.inner = inner;
        this.inFlight = inner::inFlight;
        this.target = target;
        this.ramp = ramp;
        this.full = inner.target();
        take(ramp.due());
    }

    private void take(int due) {
        inner.setLimit(ramp.limit(due, full));
        step = due;
    }

    boolean isWarm() {
        return ramp.step(inFlight) == RampProgress.STEPS && step == RampProgress.STEPS;
    }

    private void rise(int due) {
        if (due != step) {
            take(due);
        }
    }

    synchronized @Nullable Quota quota(Request request) {
        rise(ramp.due(inFlight));
        return inner.quota(request);
    }

    synchronized long acquire(Strategy asked, Request request) {
        int due = ramp.step(inFlight);
        rise(due);
        long answer = asked.acquire(request);
        return answer == GRANTED || due == RampProgress.STEPS ? answer : untilRisen(request, answer);
    }

    private long untilRisen(Request request, long answer) {
        long needed = request.permits();
        if (answer == UNTIL_RELEASE) {
            needed += inner.inFlight();
        } else if (answer >= 0 || emptyTarget(full).acquire(request) < 0) {
            return answer;
        }
        if (needed > full) {
            return UNTIL_RELEASE;
        }
        int later = step + 1;
        while (later < RampProgress.STEPS && ramp.limit(later, full) < needed) {
            later++;
        }
        return ramp.nanosUntil(later);
    }

    /* The target with nothing in flight. */
    private Strategy emptyTarget(long limit) {
        Strategy empty = target.create(ramp.ticker());
        empty.setLimit(limit);
        return empty;
    }

    void setLimit(long limit) {
        emptyTarget(limit); // throws now, not at the last step, if the limit is not allowed
        synchronized (this) {
            full = limit;
            take(step);
        }
    }

    synchronized boolean adjust(StrategySpec next, RampProgress rising) {
        int due = rising.due();
        if (!(next instanceof Resizable sized)
                || !sized.withLimit(rising.limit(due, sized.limit())).adjust(inner)) {
            return false;
        }
        target = next;
        ramp = rising;
        full = sized.limit();
        step = due;
        return true;
    }
}
