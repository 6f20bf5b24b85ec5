package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.RampProgress;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A concurrency limit that warms up. If the limit routes, also the route of one request, to which its permit returns.
 *
 * @param asked the limit, or its strategy for one request
 */
record WarmingLimit(Steps steps, Strategy asked) implements PartStrategy {
    static WarmingLimit of(PartStrategy inner, StrategySpec target, RampProgress ramp) {
        return new WarmingLimit(new Steps(inner, target, ramp), inner);
    }

    @Override
    public long acquire(Request request) {
        long answer = steps.isWarm() ? asked.acquire(request) : steps.acquire(asked, request);
        if (answer == GRANTED) {
            steps.ramp.held();
        } else {
            steps.ramp.answered(answer);
        }
        return answer;
    }

    @Override
    public void release(Request request, Outcome outcome) {
        try {
            asked.release(request, outcome);
        } finally {
            steps.ramp.released();
        }
    }

    @Override
    public void refund(Request request, long grantedAt) {
        asked.refund(request, grantedAt);
    }

    @Override
    public Traits traits() {
        return asked.traits().explaining(true);
    }

    @Override
    public boolean routes() {
        return steps.inner.routes();
    }

    @Override
    public Strategy route(Request request) {
        return routes() ? new WarmingLimit(steps, steps.inner.route(request)) : this;
    }

    @Override
    public RampProgress ramp() {
        return steps.ramp;
    }

    @Override
    public long limit() {
        RampProgress ramp = steps.ramp;
        return ramp.limit(ramp.due(), steps.full);
    }

    @Override
    public long target() {
        return steps.full;
    }

    @Override
    public void setLimit(long limit) {
        steps.setLimit(limit);
    }

    @Override
    public long inFlight() {
        return steps.inner.inFlight();
    }

    @Override
    public @Nullable Quota quota(Request request) {
        return steps.quota(request);
    }

    @Override
    public @Nullable InFlight counter() {
        return steps.inner.counter();
    }

    @Override
    public Set<Rejection.Reason> reasons() {
        return steps.inner.reasons();
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return asked.reason(request, answer > 0 && asked.traits().holds() ? UNTIL_RELEASE : answer);
    }

    @Override
    public Map<String, Long> details() {
        Map<String, Long> figures = new TreeMap<>(asked.details());
        figures.put("warmUp.percent", steps.ramp.percent());
        return figures;
    }

    /** The steps by which the limit of a concurrency limit rises while it warms up. */
    static final class Steps {
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

        Steps(PartStrategy inner, StrategySpec target, RampProgress ramp) {
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
}
