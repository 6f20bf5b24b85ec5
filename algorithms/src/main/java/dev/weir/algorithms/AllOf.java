package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several limits at once: a request is granted by all of them or takes nothing from any. A refusal answers the largest
 * wait of all, {@code NEVER} before {@code UNTIL_RELEASE} before nanoseconds, and tells the reason and the limit of the
 * member that gave it. What members held or spent for a request that another one refused is given back at once, as
 * {@link Outcome#CANCELLED}.
 *
 * <p>{@link Strategy#limit()} and {@code setLimit} are the first member's; {@code inFlight} is the largest of all. If a
 * member holds, requests are decided one after the other, under a short lock, so that none is refused, and then left
 * waiting, because of a request that is itself being refused. Among rates alone nothing is locked, and a request may be
 * told to wait for what another is just giving back.
 *
 * <p>An {@code AllOf} in an {@code AllOf} is the same as all of their members in one. What becomes of the members in a
 * change is said by {@code docs/changes.md}.
 *
 * @param limits the members, 1 to 64, those of members that are {@code AllOf} themselves included
 */
public record AllOf(List<StrategySpec> limits) implements StrategySpec {
    private static final int MOST_MEMBERS = 64;

    /** Checks the members. */
    public AllOf {
        limits = List.copyOf(limits);
        Check.within("limits.size()", limits.size(), 1, MOST_MEMBERS);
        Check.within("members of all limits", parts(limits).size(), 1, MOST_MEMBERS);
    }

    /** All of these. */
    public static AllOf of(StrategySpec... limits) {
        return new AllOf(List.of(limits));
    }

    @Override
    public List<StrategySpec> parts() {
        return parts(limits);
    }

    private static List<StrategySpec> parts(List<StrategySpec> limits) {
        return limits.stream().flatMap(limit -> limit.parts().stream()).toList();
    }

    @Override
    public Strategy create(Ticker ticker) {
        return compose(parts().stream().map(part -> part.create(ticker)).toList(), ticker);
    }

    @Override
    public Strategy compose(List<Strategy> parts, Ticker ticker) {
        return parts.size() == 1 ? parts.get(0) : new All(parts.toArray(Strategy[]::new), ticker);
    }

    @Override
    public AllOf after(@Nullable RampProgress ramp, Ticker ticker) {
        return new AllOf(limits.stream().map(limit -> limit.after(ramp, ticker)).toList());
    }

    private static final class All implements Strategy {
        /*
         * A request is put to the members in order. Meanwhile the earlier ones count a request that a later one may
         * refuse, and when it is undone nobody is woken. Without the lock this could happen at a limit of 1:
         *
         *     A (refused by its key's rate)        B (its key's rate would grant it)
         *     semaphore: granted
         *                                          semaphore: UNTIL_RELEASE, and waits for a release
         *     rate: refused; semaphore released
         *
         * with nothing in flight and B waiting for ever. Releases need no lock: they only add room, and are signalled.
         */
        private final Strategy[] members;
        private final Ticker ticker;
        private final boolean holds;

        All(Strategy[] members, Ticker ticker) {
            this.members = members;
            this.ticker = ticker;
            this.holds =
                    Arrays.stream(members).anyMatch(member -> member.traits().holds());
        }

        @Override
        public List<Strategy> members() {
            return List.of(members);
        }

        @Override
        public Traits traits() {
            return (holds ? Traits.CONCURRENCY : Traits.RATE).routing(true);
        }

        @Override
        public Strategy route(Request request) {
            Strategy[] ways = members;
            for (int i = 0; i < members.length; i++) {
                if (members[i].traits().routes()) {
                    ways = ways == members ? members.clone() : ways;
                    ways[i] = members[i].route(request);
                }
            }
            return new Bundle(this, ways);
        }

        @Override
        public long acquire(Request request) {
            return acquire(members, request, null);
        }

        long acquire(Strategy[] asked, Request request, @Nullable Bundle teller) {
            if (!holds) {
                return ask(asked, request, teller);
            }
            synchronized (this) {
                return ask(asked, request, teller);
            }
        }

        private long ask(Strategy[] asked, Request request, @Nullable Bundle teller) {
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
                        if (teller != null) {
                            teller.refused(asked[i], one);
                        }
                    }
                }
            } catch (Throwable t) {
                undo(asked, granted, request, before);
                throw t;
            }
            if (answer == GRANTED && teller != null) {
                teller.granted(before);
            } else if (answer != GRANTED) {
                undo(asked, granted, request, before);
                tellRamps(answer);
            }
            return answer;
        }

        /* While one waits as another member told, the ramp of this one is not idle. */
        private void tellRamps(long answer) {
            for (Strategy member : members) {
                RampProgress ramp = member.ramp();
                if (ramp != null) {
                    ramp.answered(answer);
                }
            }
        }

        private static void undo(Strategy[] asked, long granted, Request request, long before) {
            forEach(asked, granted, way -> {
                way.release(request, Outcome.CANCELLED);
                refund(way, request, before);
            });
        }

        /* One that throws does not keep the others from what is theirs. */
        private static void forEach(Strategy[] ways, long which, Consumer<Strategy> action) {
            Throwable thrown = null;
            for (int i = 0; i < ways.length; i++) {
                if ((which >>> i & 1) != 0) {
                    try {
                        action.accept(ways[i]);
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

        static void release(Strategy[] ways, Request request, Outcome outcome) {
            forEach(ways, -1, way -> way.release(request, outcome));
        }

        @Override
        public void refund(Request request, long grantedAt) {
            refund(members, request, grantedAt);
        }

        static void refund(Strategy[] ways, Request request, long grantedAt) {
            forEach(ways, -1, way -> refund(way, request, grantedAt));
        }

        private static void refund(Strategy way, Request request, long grantedAt) {
            if (way.traits().refunds()) {
                way.refund(request, grantedAt);
            }
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
                    .map(Strategy::ramp)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public long inFlight() {
            return Arrays.stream(members).mapToLong(Strategy::inFlight).max().orElse(0);
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
    }

    /** One request's way through the members, to which its permit returns. Used by one thread at a time. */
    private static final class Bundle implements Strategy {
        private final All all;
        private final Strategy[] ways;
        private @Nullable Strategy refusedBy;
        private long answer;
        private long grantedAt;

        Bundle(All all, Strategy[] ways) {
            this.all = all;
            this.ways = ways;
        }

        void refused(Strategy by, long answer) {
            this.refusedBy = by;
            this.answer = answer;
        }

        void granted(long at) {
            refusedBy = null;
            grantedAt = at;
        }

        @Override
        public long acquire(Request request) {
            return all.acquire(ways, request, this);
        }

        /** Where something is held no refund is asked for, so what the rates have spent is given back here. */
        @Override
        public void release(Request request, Outcome outcome) {
            All.release(ways, request, outcome);
            if (outcome == Outcome.CANCELLED && all.holds) {
                All.refund(ways, request, grantedAt);
            }
        }

        @Override
        public void refund(Request request, long grantedAt) {
            All.refund(ways, request, grantedAt);
        }

        @Override
        public Traits traits() {
            return all.traits().routing(false).explaining(true);
        }

        @Override
        public Rejection.Reason reason(Request request, long asTold) {
            return refusedBy == null ? all.reason(request, asTold) : refusedBy.reason(request, answer);
        }

        @Override
        public long limit() {
            return refusedBy == null ? all.limit() : refusedBy.limit();
        }

        @Override
        public void setLimit(long limit) {
            all.setLimit(limit);
        }

        @Override
        public long inFlight() {
            return all.inFlight();
        }
    }
}
