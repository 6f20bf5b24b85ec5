package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;

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

    @Override
    public boolean adjust(Strategy running) {
        return running instanceof Plain && Counting.adjusted(running, limit);
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
