package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartSpec;
import java.util.Set;

/**
 * A limit of everything: every request is granted, up to 2^31-1 permits in flight. They are counted, so the limit that follows
 * knows them. A rate refills while this is in force, and what is granted meanwhile is not charged to it. The limit cannot be
 * set: {@link Strategy#setLimit} does nothing.
 *
 * <pre>{@code
 * limiter.reconfigure(new Open()); // not limited any more
 * }</pre>
 */
public record Open() implements PartSpec {
    @Override
    public Strategy create(Ticker ticker) {
        return new Granting(new InFlight(InFlight.MAX));
    }

    @Override
    public Open withLimit(long limit) {
        return this;
    }

    private record Granting(InFlight counter) implements Counting {
        @Override
        public long acquire(Request request) {
            return counter.acquire(request);
        }

        @Override
        public void release(Request request, Outcome outcome) {
            counter.release(request, outcome);
        }

        @Override
        public void setLimit(long limit) {}

        @Override
        public Set<Rejection.Reason> reasons() {
            return Set.of();
        }
    }
}
