package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;

/**
 * At most {@code limit} permits in flight; a request may weigh several.
 *
 * @param limit permits, 1 to 2^31-1
 */
public record Semaphore(long limit) implements Resizable {
    /** Checks the limit. */
    public Semaphore {
        Check.within("limit", limit, 1, InFlight.MOST);
    }

    @Override
    public Semaphore withLimit(long limit) {
        return new Semaphore(limit);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new InFlight(limit);
    }

    @Override
    public boolean adjust(Strategy running) {
        return running instanceof InFlight && Counting.adjusted(running, limit);
    }
}
