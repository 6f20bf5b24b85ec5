package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.StrategySpec;

/** A part of a specification and its strategy. */
record RunningPart(StrategySpec spec, PartStrategy strategy) {
    /** True for a rate of all requests, not one by key. */
    static boolean isRate(PartStrategy strategy) {
        return !strategy.traits().holds() && strategy.account() != null;
    }

    /** Adjusts the strategy in place, with a debt or without; false if it cannot be adjusted and was not changed. */
    boolean adjustTo(StrategySpec other, Ticker ticker) {
        StrategySpec own = DialedSpec.undialed(spec);
        if (other instanceof DialedSpec dialed
                && dialed.limit() > 0
                && dialed.undialed().equals(own)) {
            Parts.limitIs(strategy, dialed.limit()); // that of the specification is not in force in between
            return true;
        }
        return adjusted(other, ticker);
    }

    /** Adjusts the strategy, which was adjusted to another specification, back to this one, with this limit. */
    void takeBack(long limit, Ticker ticker) {
        adjusted(spec, ticker);
        Parts.limitIs(strategy, limit);
    }

    private boolean adjusted(StrategySpec other, Ticker ticker) {
        PartSpec next = Parts.of(Parts.of(other).after(strategy.ramp(), ticker));
        boolean beginsToRise = next.sharedRamp() != null && strategy.ramp() == null;
        PartStrategy adjusts = strategy instanceof IndebtedRate.CarriesDebt ? strategy : IndebtedRate.inner(strategy);
        if (beginsToRise || !next.adjust(adjusts)) {
            return false;
        }
        if (strategy instanceof IndebtedRate indebted) {
            indebted.adjusted(next.sharedRamp());
        }
        return true;
    }
}
