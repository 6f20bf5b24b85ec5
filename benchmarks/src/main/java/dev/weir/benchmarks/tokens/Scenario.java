package dev.weir.benchmarks.tokens;

import dev.weir.benchmarks.sim.Draws;
import dev.weir.benchmarks.tokens.Provider.Quota;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * The calls that eight tenants would make, each for as many tokens, and all together for more than the provider grants.
 *
 * @param name in tables
 * @param demand how many times as many tokens as the provider grants
 * @param minutes how long it lasts
 * @param quota how the provider counts
 * @param doubles whether each call costs twice as much in the second half
 * @param longer how many times as much each call of the first tenant costs and takes, of which there are so many fewer
 */
record Scenario(String name, double demand, int minutes, Quota quota, boolean doubles, int longer) {
    static final long PER_MINUTE = 400_000;
    static final int TENANTS = 8;

    /** The most that a call may cost, unless all cost more. */
    static final long MAX_TOKENS = 8000;

    static final long MEDIAN = 1000;
    private static final double DEVIATION = 0.83;
    private static final double MINUTE = 60e9;

    /** The mean of what calls cost, unless all cost more. */
    static final long MEAN = mean();

    static final Scenario HALF_MORE = new Scenario("demand 1.5 x", 1.5, 60, Quota.BUCKET, false, 1);
    static final Scenario THREE_TIMES = new Scenario("demand 3 x", 3, 60, Quota.BUCKET, false, 1);

    static final List<Scenario> ALL = List.of(
            HALF_MORE,
            THREE_TIMES,
            new Scenario("calls cost twice as much in the second half", 1.5, 60, Quota.BUCKET, true, 1),
            new Scenario("calls of one tenant ten times as long", 1.5, 240, Quota.BUCKET, false, 10),
            new Scenario("the provider counts by the minute", 1.5, 60, Quota.MINUTES, false, 1));

    /**
     * A call.
     *
     * @param at when it is wanted, in nanoseconds from the start
     * @param route what its cost is learned by
     * @param cost in tokens, which nobody knows before it has ended
     */
    record Call(long at, int tenant, String route, long cost) {}

    private static long mean() {
        SplittableRandom random = new SplittableRandom(0);
        int draws = 1_000_000;
        double sum = 0;
        for (int i = 0; i < draws; i++) {
            sum += draw(random);
        }
        return Math.round(sum / draws);
    }

    private static double draw(SplittableRandom random) {
        return Math.max(1, Math.min(MAX_TOKENS, MEDIAN * StrictMath.exp(DEVIATION * Draws.gaussian(random))));
    }

    long nanos() {
        return Math.round(minutes * MINUTE);
    }

    /** All calls in the order of time. */
    List<Call> calls(long seed) {
        PriorityQueue<Call> next = new PriorityQueue<>(Comparator.comparingLong(Call::at));
        SplittableRandom[] randoms = new SplittableRandom[TENANTS];
        for (int tenant = 0; tenant < TENANTS; tenant++) {
            randoms[tenant] = new SplittableRandom(seed * TENANTS + tenant);
            next.add(after(0, tenant, randoms[tenant]));
        }
        List<Call> calls = new ArrayList<>();
        for (Call call = next.remove(); call.at < nanos(); call = next.remove()) {
            calls.add(call);
            next.add(after(call.at, call.tenant, randoms[call.tenant]));
        }
        return calls;
    }

    private Call after(long before, int tenant, SplittableRandom random) {
        int times = tenant == 0 ? longer : 1;
        double gap = MINUTE * times * MEAN * TENANTS / (PER_MINUTE * demand);
        long at = before + Math.round(gap * Draws.exponential(random));
        double cost = draw(random) * times * (doubles && at > nanos() / 2 ? 2 : 1);
        return new Call(at, tenant, times == 1 ? "chat" : "report", Math.round(cost));
    }
}
