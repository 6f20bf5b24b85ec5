package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.InFlight;
import dev.weir.spi.Strategy;

/**
 * At most {@code limit} requests in flight, each counting as one; a request that asks for several permits is refused as
 * {@code NEVER}.
 *
 * @param limit requests, 1 to 2^31-1
 */
public record Counter(long limit) implements Resizable {
    /** Checks the limit. */
    public Counter {
        Check.within("limit", limit, 1, InFlight.MOST);
    }

    @Override
    public Counter withLimit(long limit) {
        return new Counter(limit);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Plain(new InFlight(limit));
    }

    /** Counts on with the counter of the running strategy, if it has one. */
    @Override
    public Strategy succeed(Strategy running, Ticker ticker) {
        InFlight counter = Counting.handedOn(running, limit);
        return running instanceof Plain ? running : new Plain(counter);
    }

    private record Plain(InFlight counter) implements Counting {
        @Override
        public long acquire(Request request) {
            return request.permits() == 1 ? counter.acquire(1, 0) : NEVER;
        }

        @Override
        public void release(Request request, Outcome outcome) {
            counter.release(1);
        }
    }
}
