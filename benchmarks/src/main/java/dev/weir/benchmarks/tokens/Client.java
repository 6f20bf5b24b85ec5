package dev.weir.benchmarks.tokens;

import dev.weir.adaptive.LearnedCost;
import java.util.List;

/**
 * A way to charge for a call before its cost is known, and to correct that afterwards.
 *
 * @param name in tables
 * @param estimate charged before the call; 0 = the mean that was learned
 * @param settles whether the limit is told what the call has cost
 * @param suspends whether a 429 holds the limit shut for as long as it says
 * @param undoes whether a 429 is settled as a call that cost nothing; otherwise its estimate stays spent
 */
record Client(String name, long estimate, boolean settles, boolean suspends, boolean undoes) {
    /** The first estimate where costs are learned: somebody's guess. */
    private static final long GUESS = 2000;

    static final Client SUSPENDED = new Client("the same, and held shut by `Retry-After`", 0, true, true, false);

    static final List<Client> ALL = List.of(
            unsettled("the most it may cost, `max_tokens`", Scenario.MAX_TOKENS),
            unsettled("the median", Scenario.MEDIAN),
            unsettled("the exact mean, if one knew it", Scenario.MEAN),
            new Client("the running mean, settled at the end", 0, true, false, false),
            SUSPENDED,
            new Client("the same, but a 429 is settled as 0", 0, true, true, true));

    private static Client unsettled(String name, long estimate) {
        return new Client(name, estimate, false, false, false);
    }

    LearnedCost costs() {
        return LearnedCost.of("tokens", estimate == 0 ? GUESS : estimate);
    }
}
