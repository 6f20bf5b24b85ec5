package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;

/**
 * A concurrency limit: at most {@code limit} permits in flight. A request may ask for several permits; one that asks for
 * more than the limit is refused as {@code NEVER}.
 *
 * <pre>{@code
 * ManagedLimiter db = Limiters.of("db", new Semaphore(10));
 * String row = db.call(() -> load());
 * }</pre>
 *
 * @param limit permits, 1 to 2^31-1
 */
public record Semaphore(long limit) implements Resizable {
    /** @throws IllegalArgumentException if the limit is not 1 to 2^31-1 */
    public Semaphore {
        Check.within("limit", limit, 1, InFlight.MAX);
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
