package dev.weir.share;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.RampProgress;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A strategy around another one, which grants only while the fence is open.
 *
 * @param strategy the whole one, or that of one request
 */
record FencedStrategy(PartStrategy all, Strategy strategy, Fence fence) implements PartStrategy {
    /*
     * The fence is asked after the grant: if it is open then, the grant was made before it closed, however long this thread was
     * stopped between the two. Otherwise the grant is released. A rate is not refunded: the time of the grant is not known, and
     * to refund too little is safe. The fence is asked before as well, so that this is rare.
     */
    FencedStrategy(PartStrategy strategy, Fence fence) {
        this(strategy, strategy, fence);
    }

    @Override
    public long acquire(Request request) {
        if (!fence.isOpen()) {
            return UNAVAILABLE;
        }
        long answer = strategy.acquire(request);
        if (answer != GRANTED || fence.isOpen()) {
            return answer;
        }
        strategy.release(request, Outcome.CANCELLED);
        return UNAVAILABLE;
    }

    @Override
    public void release(Request request, Outcome outcome) {
        strategy.release(request, outcome);
    }

    @Override
    public void refund(Request request, long grantedAt) {
        strategy.refund(request, grantedAt);
    }

    @Override
    public Traits traits() {
        return strategy.traits();
    }

    @Override
    public boolean routes() {
        return all.routes();
    }

    @Override
    public Strategy route(Request request) {
        return routes() ? new FencedStrategy(all, all.route(request), fence) : this;
    }

    @Override
    public long inFlight() {
        return all.inFlight();
    }

    @Override
    public long limit() {
        return fence.isShut() ? 0 : strategy.limit();
    }

    @Override
    public long target() {
        return all.target();
    }

    @Override
    public void setLimit(long limit) {
        fence.checkLimit(limit);
        strategy.setLimit(limit);
    }

    @Override
    public @Nullable Quota quota(Request request) {
        Quota own = strategy.quota(request);
        return own == null || fence.isOpen()
                ? own
                : new Quota(fence.isShut() ? 0 : own.limit(), 0, own.resetNanos(), own.windowNanos());
    }

    @Override
    public Set<Rejection.Reason> reasons() {
        Set<Rejection.Reason> reasons = EnumSet.of(Rejection.Reason.UNAVAILABLE);
        reasons.addAll(all.reasons());
        return reasons;
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return answer == UNAVAILABLE ? PartStrategy.super.reason(request, answer) : strategy.reason(request, answer);
    }

    @Override
    public Map<String, Long> details() {
        return strategy.details();
    }

    @Override
    public @Nullable Account account() {
        return strategy.account();
    }

    @Override
    public @Nullable RampProgress ramp() {
        return all.ramp();
    }

    @Override
    public List<PartStrategy> members() {
        return all.members();
    }

    @Override
    public void settle() {
        all.settle();
    }
}
