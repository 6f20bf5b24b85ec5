package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;

/**
 * A concurrency limit that counts requests: at most {@code limit} requests in flight. A request for more than one permit is
 * refused as {@code NEVER}.
 *
 * <pre>{@code
 * Limiter connections = Limiters.of("connections", new Counter(200));
 * }</pre>
 *
 * @param limit requests, 1 to 2^31-1
 */
public record Counter(long limit) implements Resizable {
    /** @throws IllegalArgumentException if the limit is not 1 to 2^31-1 */
    public Counter {
        Check.within("limit", limit, 1, InFlight.MAX);
    }

    @Override
    public Counter withLimit(long limit) {
        return new Counter(limit);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new RequestCount(new InFlight(limit));
    }

    @Override
    public boolean adjust(Strategy running) {
        return running instanceof RequestCount && Counting.adjusted(running, limit);
    }

    private record RequestCount(InFlight counter) implements Counting {
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
