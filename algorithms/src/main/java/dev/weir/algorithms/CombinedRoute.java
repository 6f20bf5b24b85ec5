package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.ByCost;
import org.jspecify.annotations.Nullable;

/**
 * The route of one request through a {@link CombinedStrategy}: the strategies that it asks, to which its permit returns. Used by
 * one thread.
 */
final class CombinedRoute implements Strategy, ByCost {
    private final CombinedStrategy all;
    private final Strategy[] routes;
    private @Nullable Strategy refusedBy;
    private long answer;
    private long grantedAt;

    CombinedRoute(CombinedStrategy all, Strategy[] routes) {
        this.all = all;
        this.routes = routes;
    }

    void refused(Strategy by, long with) {
        this.refusedBy = by;
        this.answer = with;
    }

    void granted(long at) {
        refusedBy = null;
        grantedAt = at;
    }

    @Override
    public long acquire(Request request) {
        return all.acquire(routes, request, this);
    }

    /** If a member holds, no refund is requested, so what the rates granted is refunded here. */
    @Override
    public void release(Request request, Outcome outcome) {
        CombinedStrategy.release(routes, request, outcome);
        if (outcome == Outcome.CANCELLED && all.holds()) {
            CombinedStrategy.refund(routes, request, grantedAt);
        }
    }

    @Override
    public void refund(Request request, long at) {
        CombinedStrategy.refund(routes, request, at);
    }

    @Override
    public boolean isByCost() {
        return all.isByCost();
    }

    @Override
    public boolean charge(Request request) {
        return all.charge(request);
    }

    @Override
    public void refundCost(Request back, long at) {
        CombinedStrategy.refundCost(routes, back, at);
    }

    @Override
    public Traits traits() {
        return all.traits();
    }

    @Override
    public Rejection.Reason reason(Request request, long given) {
        return refusedBy == null ? all.reason(request, given) : refusedBy.reason(request, answer);
    }

    @Override
    public long limit() {
        return refusedBy == null ? all.limit() : refusedBy.limit();
    }

    @Override
    public void setLimit(long limit) {
        all.setLimit(limit);
    }
}
