package dev.weir.spi;

import dev.weir.Ticker;

/** The wish: an immutable, validated description of a {@link Strategy}, a record per algorithm, compared by value. */
public interface StrategySpec {
    /** A new strategy, as good as new. */
    Strategy create(Ticker ticker);

    /**
     * The strategy that takes over from a running one while permits are out and requests come in. The same object back
     * means it was adjusted in place. Must not block; may be called again if another change came between.
     *
     * <p>By default a rate takes over the debt as "time until full" and a concurrency limit starts counting anew; the
     * algorithms here hand on their counter.
     */
    default Strategy succeed(Strategy running, Ticker ticker) {
        Strategy next = create(ticker);
        next.owe(running.debtNanos());
        return next;
    }

    /**
     * The same wish for a great many strategies by one ticker, with what they have in common made once: the beginning of
     * its periods, if it counts any, is then now for all of them. By default nothing is shared.
     */
    default StrategySpec forMany(Ticker ticker) {
        return this;
    }
}
