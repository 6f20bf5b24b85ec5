package dev.weir.succession;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A strategy that knows nothing of other limits, as a part. What a concurrency limit has in flight is counted here, so that its
 * successors take it over, and so that it counts what its predecessors granted.
 */
final class AuthorsStrategy implements PartStrategy {
    /*
     * The counter has no limit of its own. While permits of a predecessor are in flight, it has that of the strategy as well, which
     * cannot know of them. Then requests are decided one at a time, the counter before the strategy: what the counter grants to a
     * request that the strategy refuses is seen by nobody else, and no waiter need be woken when it is returned. A thread that finds
     * that all of these permits were released does not ask the counter whether there is room.
     *
     * A strategy that explains decides by more than the number of permits, so its limit is none of all permits together.
     */
    final Strategy strategy;
    private final Traits traits;
    private final @Nullable InFlight counter;
    private volatile @Nullable Account last;

    AuthorsStrategy(Strategy strategy) {
        this.strategy = strategy;
        this.traits = strategy.traits();
        this.counter = traits.holds() ? new InFlight(InFlight.MAX) : null;
    }

    @Override
    public long acquire(Request request) {
        if (counter == null) {
            return strategy.acquire(request);
        }
        if (request.permits() > InFlight.MAX) {
            return NEVER;
        }
        if (counter.hasTakenOver() && !traits.explains()) {
            synchronized (this) {
                return acquireWithin(counter, request);
            }
        }
        long answer = strategy.acquire(request);
        if (answer == GRANTED && counter.acquire(request.permits(), 0) != GRANTED) {
            strategy.release(request, Outcome.CANCELLED);
            return UNTIL_RELEASE;
        }
        return answer;
    }

    @GuardedBy("this")
    private long acquireWithin(InFlight counted, Request request) {
        long reserve = InFlight.MAX - Math.min(InFlight.MAX, strategy.limit());
        long answer = counted.acquire(request.permits(), reserve);
        if (answer != GRANTED) {
            return answer;
        }
        answer = NEVER;
        try {
            answer = strategy.acquire(request);
            return answer;
        } finally {
            if (answer != GRANTED) {
                counted.release(request.permits());
            }
        }
    }

    @Override
    public void release(Request request, Outcome outcome) {
        try {
            strategy.release(request, outcome);
        } finally {
            if (counter != null) {
                counter.release(request.permits());
            }
        }
    }

    @Override
    public void refund(Request request, long grantedAt) {
        strategy.refund(request, grantedAt);
    }

    @Override
    public Traits traits() {
        return traits;
    }

    /** Once it has told figures, the last ones, if it tells none or throws. */
    @Override
    public @Nullable Account account() {
        Account now;
        try {
            now = strategy.account();
        } catch (RuntimeException e) {
            now = null;
        }
        if (now != null) {
            last = now;
        }
        return last;
    }

    @Override
    public @Nullable Quota quota(Request request) {
        Quota own = strategy.quota(request);
        if (own == null || counter == null || traits.explains() || !counter.hasTakenOver()) {
            return own;
        }
        long room = Math.max(0, strategy.limit() - counter.inFlight());
        return new Quota(own.limit(), Math.min(own.remaining(), room), own.resetNanos(), own.windowNanos());
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return strategy.reason(request, answer);
    }

    @Override
    public Map<String, Long> details() {
        return strategy.details();
    }

    @Override
    public long limit() {
        return strategy.limit();
    }

    @Override
    public void setLimit(long limit) {
        strategy.setLimit(limit);
    }

    @Override
    public @Nullable InFlight counter() {
        return counter;
    }
}
