package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Several limits at once: a request is granted by all of them or takes nothing from any. A refusal answers the largest
 * wait of all, {@code NEVER} before {@code UNTIL_RELEASE} before nanoseconds, and tells the reason and the limit of the
 * member that gave it. What members held or spent for a request that another one refused is given back at once, as
 * {@link Outcome#CANCELLED}.
 *
 * <p>{@link Strategy#limit()} and {@code setLimit} are the first member's; {@code inFlight} is the largest of all. If a
 * member holds, asking is serial, under a short lock, so that nobody is refused, and then left waiting, for the sake of
 * a request that is itself being refused. Among rates alone nothing is locked, and a request may be told to wait for
 * what another is just giving back.
 *
 * <p>A successor with equal, similar or like members hands them on one by one, each to one at most; a member without
 * a predecessor starts anew, also where permits are out.
 *
 * @param limits the members, 1 to 64
 */
public record AllOf(List<StrategySpec> limits) implements Resizable {
    private static final int MOST_MEMBERS = 64;

    /** Checks the members. */
    public AllOf {
        limits = List.copyOf(limits);
        Check.within("limits.size()", limits.size(), 1, MOST_MEMBERS);
    }

    /** All of these. */
    public static AllOf of(StrategySpec... limits) {
        return new AllOf(List.of(limits));
    }

    /** The same with another limit of the first member, if that can be made with another one; else the same. */
    @Override
    public AllOf withLimit(long limit) {
        List<StrategySpec> resized = new ArrayList<>(limits);
        if (resized.get(0) instanceof Resizable first) {
            resized.set(0, first.withLimit(limit));
        }
        return new AllOf(resized);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new All(limits, limits.stream().map(spec -> spec.create(ticker)).toArray(Strategy[]::new), ticker);
    }

    /**
     * Adjusts its like in place where every member does. Each member takes over from the running member whose
     * specification is equal, else of the same record, else of the same kind (holding or not), in this order and each
     * one once. Any other strategy is taken over as if it were the only member.
     */
    @Override
    public Strategy succeed(Strategy running, Ticker ticker) {
        All old =
                running instanceof All all ? all : new All(List.of(asIs -> running), new Strategy[] {running}, ticker);
        int[] heirs = heirs(old, ticker);
        Strategy[] members = new Strategy[limits.size()];
        boolean inPlace = members.length == old.members.length;
        for (int i = 0; i < members.length; i++) {
            StrategySpec spec = limits.get(i);
            members[i] = heirs[i] < 0 ? spec.create(ticker) : spec.succeed(old.members[heirs[i]], ticker);
            inPlace &= heirs[i] == i && members[i] == old.members[i];
        }
        if (inPlace && old == running) {
            old.specs = limits;
            return old;
        }
        return new All(limits, members, ticker);
    }

    /* Which running member each new one takes over from, -1 = none. */
    private int[] heirs(All old, Ticker ticker) {
        int[] heirs = new int[limits.size()];
        Arrays.fill(heirs, -1);
        List<StrategySpec> specs = old.specs;
        match(heirs, specs.size(), (next, at) -> limits.get(next).equals(specs.get(at)));
        match(
                heirs,
                specs.size(),
                (next, at) -> limits.get(next).getClass() == specs.get(at).getClass());
        match(heirs, specs.size(), (next, at) -> limits.get(next).create(ticker).holds() == old.members[at].holds());
        return heirs;
    }

    private static void match(int[] heirs, int olds, BiPredicate<Integer, Integer> alike) {
        for (int next = 0; next < heirs.length; next++) {
            for (int at = 0; at < olds && heirs[next] < 0; at++) {
                int candidate = at;
                if (Arrays.stream(heirs).noneMatch(taken -> taken == candidate) && alike.test(next, at)) {
                    heirs[next] = at;
                }
            }
        }
    }

    private static final class All implements Counting.Around {
        /*
         * Asking goes through the members in order. Meanwhile the earlier ones count a request that a later one may
         * refuse, and when it is undone nobody is woken. Without the lock this could happen at a limit of 1:
         *
         *     A (refused by its key's rate)        B (its key's rate would let it in)
         *     semaphore: granted
         *                                          semaphore: UNTIL_RELEASE, and waits for a release
         *     rate: refused; semaphore given back
         *
         * with nothing in flight and B waiting for ever. Releases need no lock: they only add room, and are signalled.
         */
        private final Strategy[] members;
        private final Ticker ticker;
        private final boolean holds;
        volatile List<StrategySpec> specs;

        All(List<StrategySpec> specs, Strategy[] members, Ticker ticker) {
            this.specs = specs;
            this.members = members;
            this.ticker = ticker;
            this.holds = Arrays.stream(members).anyMatch(Strategy::holds);
        }

        @Override
        public boolean routes() {
            return true;
        }

        @Override
        public Strategy route(Request request) {
            Strategy[] ways = members;
            for (int i = 0; i < members.length; i++) {
                if (members[i].routes()) {
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
                undo(asked, 0, granted, request, before);
                throw t;
            }
            if (answer == GRANTED && teller != null) {
                teller.granted(before);
            } else if (answer != GRANTED) {
                undo(asked, 0, granted, request, before);
            }
            return answer;
        }

        private static void undo(Strategy[] asked, int from, long granted, Request request, long before) {
            if (granted >>> from == 0) {
                return;
            }
            try {
                if ((granted >>> from & 1) != 0) {
                    asked[from].release(request, Outcome.CANCELLED);
                    refund(asked[from], request, before);
                }
            } finally {
                undo(asked, from + 1, granted, request, before);
            }
        }

        @Override
        public void release(Request request, Outcome outcome) {
            release(members, 0, request, outcome);
        }

        /* One that throws does not keep the others from what is theirs. */
        static void release(Strategy[] ways, int from, Request request, Outcome outcome) {
            if (from < ways.length) {
                try {
                    ways[from].release(request, outcome);
                } finally {
                    release(ways, from + 1, request, outcome);
                }
            }
        }

        @Override
        public void refund(Request request, long grantedAt) {
            refund(members, request, grantedAt);
        }

        static void refund(Strategy[] ways, Request request, long grantedAt) {
            for (Strategy way : ways) {
                refund(way, request, grantedAt);
            }
        }

        private static void refund(Strategy way, Request request, long grantedAt) {
            if (way.refunds()) {
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
        public long inFlight() {
            return Arrays.stream(members).mapToLong(Strategy::inFlight).max().orElse(0);
        }

        @Override
        public boolean holds() {
            return holds;
        }

        @Override
        public long debtNanos() {
            return Arrays.stream(members).mapToLong(Strategy::debtNanos).max().orElse(0);
        }

        @Override
        public void owe(long nanos) {
            for (Strategy member : members) {
                member.owe(nanos);
            }
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

        @Override
        public List<Strategy> handOver() {
            return List.of(members);
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
            All.release(ways, 0, request, outcome);
            if (outcome == Outcome.CANCELLED && all.holds) {
                All.refund(ways, request, grantedAt);
            }
        }

        @Override
        public void refund(Request request, long grantedAt) {
            All.refund(ways, request, grantedAt);
        }

        @Override
        public boolean explains() {
            return true;
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

        @Override
        public boolean holds() {
            return all.holds;
        }
    }
}
