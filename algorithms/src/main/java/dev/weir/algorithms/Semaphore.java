package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;

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
        return new Weighted(new InFlight(limit));
    }

    /** Counts on with the counter of the running strategy, if it has one. */
    @Override
    public Strategy succeed(Strategy running, Ticker ticker) {
        InFlight counter = Counting.handedOn(running, limit);
        return running instanceof Weighted ? running : new Weighted(counter);
    }

    private record Weighted(InFlight counter) implements Counting {
        @Override
        public long acquire(Request request) {
            return counter.acquire(request.permits(), 0);
        }

        @Override
        public void release(Request request, Outcome outcome) {
            counter.release(request.permits());
        }
    }
}
