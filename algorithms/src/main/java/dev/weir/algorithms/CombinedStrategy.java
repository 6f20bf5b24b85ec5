package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.ByCost;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.RampProgress;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The strategy of {@link AllOf}. */
final class CombinedStrategy implements PartStrategy, ByCost {
    /*
     * A request asks the members in order. Meanwhile, earlier members count a request that a later one may refuse, and when
     * it is undone no waiter is woken. Without the lock this could happen at a limit of 1:
     *
     *     A (refused by the rate of its key)   B (would be granted by the rate of its key)
     *     semaphore: granted
     *                                          semaphore: UNTIL_RELEASE, and waits for a release
     *     rate: refused; semaphore released
     *
     * with nothing in flight and B waiting for ever. Releases need no lock: they only free permits, and are signalled.
     */
    private final PartStrategy[] members;
    private final Ticker ticker;
    private final boolean holds;

    CombinedStrategy(PartStrategy[] members, Ticker ticker) {
        this.members = members;
        this.ticker = ticker;
        this.holds = Arrays.stream(members).anyMatch(member -> member.traits().holds());
    }

    @Override
    public List<PartStrategy> members() {
        return List.of(members);
    }

    @Override
    public Traits traits() {
        return (holds ? Traits.CONCURRENCY : Traits.RATE).explaining(true);
    }

    @Override
    public Set<Reason> reasons() {
        Set<Reason> reasons = EnumSet.noneOf(Reason.class);
        for (PartStrategy member : members) {
            reasons.addAll(member.reasons());
        }
        return reasons;
    }

    @Override
    public boolean routes() {
        return true;
    }

    @Override
    public Strategy route(Request request) {
        Strategy[] routes = members;
        for (int i = 0; i < members.length; i++) {
            if (members[i].routes()) {
                routes = routes == members ? Arrays.copyOf(members, members.length, Strategy[].class) : routes;
                routes[i] = members[i].route(request);
            }
        }
        return new Route(routes);
    }

    @Override
    public long acquire(Request request) {
        return acquire(members, request, null);
    }

    long acquire(Strategy[] asked, Request request, @Nullable Route route) {
        if (!holds) {
            return acquireAll(asked, request, route);
        }
        synchronized (this) {
            return acquireAll(asked, request, route);
        }
    }

    private long acquireAll(Strategy[] asked, Request request, @Nullable Route route) {
        long before = ticker.read();
        long granted = 0;
        long answer = GRANTED;
        try {
            for (int i = 0; i < asked.length && answer >= 0; i++) {
                long one = asked[i].acquire(request);
                if (one == GRANTED) {
                    granted |= 1L << i;
                } else if (one < 0 || one > answer) {
                    answer = one;
                    if (route != null) {
                        route.refused(asked[i], one);
                    }
                }
            }
        } catch (Throwable t) {
            undo(asked, granted, request, before);
            throw t;
        }
        if (answer == GRANTED && route != null) {
            route.granted(before);
        } else if (answer != GRANTED) {
            undo(asked, granted, request, before);
            notifyRamps(answer);
        }
        return answer;
    }

    /* While a request waits because another member refused it, the ramp of a member is not idle. */
    private void notifyRamps(long answer) {
        for (PartStrategy member : members) {
            RampProgress ramp = member.ramp();
            if (ramp != null) {
                ramp.answered(answer);
            }
        }
    }

    private static void undo(Strategy[] asked, long granted, Request request, long before) {
        forEach(asked, granted, member -> {
            member.release(request, Outcome.CANCELLED);
            refund(member, request, before);
        });
    }

    /* A member that throws does not keep the others from their release. */
    private static void forEach(Strategy[] members, long which, Consumer<Strategy> action) {
        Throwable thrown = null;
        for (int i = 0; i < members.length; i++) {
            if ((which >>> i & 1) != 0) {
                try {
                    action.accept(members[i]);
                } catch (Throwable t) {
                    thrown = t;
                }
            }
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
    }

    @Override
    public void release(Request request, Outcome outcome) {
        release(members, request, outcome);
    }

    static void release(Strategy[] members, Request request, Outcome outcome) {
        forEach(members, -1, member -> member.release(request, outcome));
    }

    @Override
    public void refund(Request request, long grantedAt) {
        refund(members, request, grantedAt);
    }

    static void refund(Strategy[] members, Request request, long grantedAt) {
        forEach(members, -1, member -> refund(member, request, grantedAt));
    }

    private static void refund(Strategy member, Request request, long grantedAt) {
        if (member.traits().refunds()) {
            member.refund(request, grantedAt);
        }
    }

    @Override
    public boolean isByCost() {
        return Arrays.stream(members).anyMatch(member -> member instanceof ByCost cost && cost.isByCost());
    }

    @Override
    public boolean charge(Request request) {
        boolean charged = false;
        for (PartStrategy member : members) {
            charged |= member instanceof ByCost cost && cost.charge(request);
        }
        return charged;
    }

    @Override
    public void refundCost(Request back, long grantedAt) {
        refundCost(members, back, grantedAt);
    }

    static void refundCost(Strategy[] members, Request back, long grantedAt) {
        forEach(members, -1, member -> {
            if (member instanceof ByCost cost) {
                cost.refundCost(back, grantedAt);
            }
        });
    }

    @Override
    public long limit() {
        return members[0].limit();
    }

    @Override
    public void setLimit(long limit) {
        members[0].setLimit(limit);
    }

    @Override
    public long target() {
        return members[0].target();
    }

    @Override
    public @Nullable RampProgress ramp() {
        return Arrays.stream(members)
                .map(PartStrategy::ramp)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    @Override
    public long inFlight() {
        return Arrays.stream(members).mapToLong(PartStrategy::inFlight).max().orElse(0);
    }

    /** Null if a member does not know its own. */
    @Override
    public @Nullable Quota quota(Request request) {
        Quota least = members[0].quota(request);
        for (int i = 1; i < members.length && least != null; i++) {
            Quota one = members[i].quota(request);
            least = one == null || one.remaining() < least.remaining() ? one : least;
        }
        return least;
    }

    @Override
    public Map<String, Long> details() {
        Map<String, Long> figures = new TreeMap<>();
        for (int i = 0; i < members.length; i++) {
            String prefix = i + ".";
            figures.put(prefix + "limit", members[i].limit());
            figures.put(prefix + "inFlight", members[i].inFlight());
            members[i].details().forEach((name, figure) -> figures.put(prefix + name, figure));
        }
        return figures;
    }

    /** The route of one request: the strategies that it asks, to which its permit returns. Used by one thread. */
    private final class Route implements Strategy, ByCost {
        private final Strategy[] routes;
        private @Nullable Strategy refusedBy;
        private long answer;
        private long grantedAt;

        Route(Strategy[] routes) {
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
            return CombinedStrategy.this.acquire(routes, request, this);
        }

        /** If a member holds, no refund is requested, so what the rates granted is refunded here. */
        @Override
        public void release(Request request, Outcome outcome) {
            CombinedStrategy.release(routes, request, outcome);
            if (outcome == Outcome.CANCELLED && holds) {
                CombinedStrategy.refund(routes, request, grantedAt);
            }
        }

        @Override
        public void refund(Request request, long at) {
            CombinedStrategy.refund(routes, request, at);
        }

        @Override
        public boolean isByCost() {
            return CombinedStrategy.this.isByCost();
        }

        @Override
        public boolean charge(Request request) {
            return CombinedStrategy.this.charge(request);
        }

        @Override
        public void refundCost(Request back, long at) {
            CombinedStrategy.refundCost(routes, back, at);
        }

        @Override
        public Traits traits() {
            return CombinedStrategy.this.traits();
        }

        @Override
        public Reason reason(Request request, long given) {
            return refusedBy == null ? CombinedStrategy.this.reason(request, given) : refusedBy.reason(request, answer);
        }

        @Override
        public long limit() {
            return refusedBy == null ? CombinedStrategy.this.limit() : refusedBy.limit();
        }

        @Override
        public void setLimit(long limit) {
            CombinedStrategy.this.setLimit(limit);
        }
    }
}
