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
import org.jspecify.annotations.Nullable;

/**
 * A concurrency limit that warms up. If the limit routes, also the route of one request, to which its permit returns.
 *
 * @param asked the limit, or its strategy for one request
 */
record WarmingLimit(WarmingSteps steps, Strategy asked) implements PartStrategy {
    static WarmingLimit of(PartStrategy inner, StrategySpec target, RampProgress ramp) {
        return new WarmingLimit(new WarmingSteps(inner, target, ramp), inner);
    }

    boolean adjust(StrategySpec target, RampProgress ramp) {
        return steps.adjust(target, ramp);
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
}
