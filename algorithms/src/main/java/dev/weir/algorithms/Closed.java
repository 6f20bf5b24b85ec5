package dev.weir.algorithms;

import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartSpec;
import java.util.Set;

/**
 * A limit of nothing: every request is refused as {@code NEVER}, with the limit 0. Permits in flight stay valid and are counted
 * on, so the limit that follows knows them. A rate refills while this is in force. The limit cannot be set: {@link
 * Strategy#setLimit} does nothing.
 *
 * <pre>{@code
 * limiter.reconfigure(new Closed()); // shut
 * }</pre>
 */
public record Closed() implements PartSpec {
    @Override
    public Strategy create(Ticker ticker) {
        return new Refusing(new InFlight(InFlight.MAX));
    }

    @Override
    public Closed withLimit(long limit) {
        return this;
    }

    private record Refusing(InFlight counter) implements Counting {
        @Override
        public long acquire(Request request) {
            return NEVER;
        }

        @Override
        public long limit() {
            return 0;
        }

        @Override
        public void setLimit(long limit) {}

        @Override
        public Quota quota(Request request) {
            return new Quota(0, 0, 0, 0);
        }

        @Override
        public Set<Rejection.Reason> reasons() {
            return Set.of(Rejection.Reason.NEVER);
        }
    }
}
