package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.StrategySpec;
import java.util.stream.Stream;

/** A part of a specification and its strategy. */
record RunningPart(StrategySpec spec, PartStrategy strategy) {
    /** Whether it is a rate of all requests, not one by key. */
    boolean isRate() {
        return isRate(strategy);
    }

    static boolean isRate(PartStrategy strategy) {
        return !strategy.traits().holds() && strategy.account() != null;
    }

    /** The most permits that any of these rates has granted and that have not refilled there; 0 if there is no rate. */
    static long used(Stream<PartStrategy> strategies) {
        return strategies
                .filter(RunningPart::isRate)
                .map(PartStrategy::account)
                .flatMap(Stream::ofNullable)
                .mapToLong(Account::used)
                .max()
                .orElse(0);
    }

    /** Adjusts the strategy in place, with a debt or without; false if it cannot be adjusted and was not changed. */
    boolean adjustTo(StrategySpec other, Ticker ticker) {
        if (other instanceof DialedSpec dialed && dialed.limit() > 0 && dialed.isSameUndialed(spec)) {
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
