package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.succession.HandsOver;
import dev.weir.succession.InFlight;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A concurrency limit that rises: each step's limit is set when somebody asks. Also one request's way through a limit
 * that routes, to which its permit returns.
 */
record WarmingLimit(Steps steps, Strategy way) implements HandsOver {
    /** A limit at a step of the ramp. */
    private static final class Steps {
        /*
         * Steps are taken under the monitor, and so is every request that a later step may help: what it is told of the
         * next step is then true. `step` is published after its limit was set.
         */
        final Strategy inner;
        volatile StrategySpec target;
        volatile RampProgress ramp;
        volatile long full;
        volatile int step;

        Steps(Strategy inner, StrategySpec target, RampProgress ramp) {
            this.inner = inner;
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
            return ramp.step(inner) == RampProgress.STEPS && step == RampProgress.STEPS;
        }

        private void rise(int due) {
            if (due != step) {
                take(due);
            }
        }

        synchronized long remaining(Strategy way) {
            rise(ramp.due());
            return way.remaining();
        }

        synchronized long acquire(Strategy way, Request request) {
            int due = ramp.step(inner);
            rise(due);
            long answer = way.acquire(request);
            return answer == GRANTED || due == RampProgress.STEPS ? answer : untilRisen(request, answer);
        }

        private long untilRisen(Request request, long answer) {
            long needed = request.permits();
            if (answer == UNTIL_RELEASE) {
                needed += inner.inFlight();
            } else if (answer >= 0 || whenWarm(full).acquire(request) < 0) {
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

        /** The target with nothing in flight. */
        private Strategy whenWarm(long limit) {
            Strategy warm = target.create(ramp.ticker());
            warm.setLimit(limit);
            return warm;
        }

        void setLimit(long limit) {
            whenWarm(limit); // so that it is refused now, not at the last step
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

    static WarmingLimit of(Strategy inner, StrategySpec target, RampProgress ramp) {
        return new WarmingLimit(new Steps(inner, target, ramp), inner);
    }

    boolean adjust(StrategySpec target, RampProgress ramp) {
        return steps.adjust(target, ramp);
    }

    @Override
    public long acquire(Request request) {
        long answer = steps.isWarm() ? way.acquire(request) : steps.acquire(way, request);
        if (answer == GRANTED) {
            steps.ramp.held();
        } else {
            steps.ramp.answered(answer);
        }
        return answer;
    }

    @Override
    public void release(Request request, Outcome outcome) {
        way.release(request, outcome);
        steps.ramp.released();
    }

    @Override
    public void refund(Request request, long grantedAt) {
        way.refund(request, grantedAt);
    }

    @Override
    public Traits traits() {
        return way.traits().explaining(true);
    }

    @Override
    public Strategy route(Request request) {
        return way.traits().routes() ? new WarmingLimit(steps, way.route(request)) : this;
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
        return way.inFlight();
    }

    @Override
    public long remaining() {
        return steps.remaining(way);
    }

    @Override
    public @Nullable InFlight counter() {
        return HandsOver.counter(way);
    }

    @Override
    public void handOver(List<InFlight> heirs) {
        HandsOver.handOver(way, heirs);
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return way.reason(request, answer > 0 && way.traits().holds() ? UNTIL_RELEASE : answer);
    }

    @Override
    public Map<String, Long> details() {
        Map<String, Long> figures = new TreeMap<>(way.details());
        figures.put("warmUp.percent", steps.ramp.percent());
        return figures;
    }
}
