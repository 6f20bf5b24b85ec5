package dev.weir.budget;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartStrategy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Refuses calls of a client in proportion to how many of them the service refuses, so that an overloaded service need not even answer
 * them: the client-side throttling of the book "Site Reliability Engineering" (chapter "Handling Overload"). A call is refused with the
 * probability
 *
 * <pre>{@code max(0, (requests - k * accepts) / (requests + 1))}</pre>
 *
 * <p>over the last {@code window}. {@code requests} are the calls that have ended and those that this throttle refused; {@code
 * accepts} are those of them that the service took: they ended as {@code SUCCESS} or {@code IGNORED}, not as {@code DROPPED}. A call
 * in flight is not counted until it ends, so slow calls are not taken for refused ones; a call that never began ({@code
 * CANCELLED}, of a request that is {@link Request#refundable refundable}) is not counted.
 *
 * <pre>{@code
 * Limiter search = Limiters.of("search", AdaptiveThrottle.of(2));
 * }</pre>
 *
 * <p>With {@code k} = 2 nothing is refused while the service takes half of the calls or more; in a lasting overload it gets about
 * twice as many calls as it takes. A smaller {@code k} refuses more: 1.1 suits a service to which a rejection costs as much as an answer.
 * While the service takes nothing at all, one call in {@code requests + 1} still goes through. Once it takes calls again, those that
 * it gets grow by a factor of e in each 0.63 windows for {@code k} = 2, and in each 5 windows for 1.1. At 1,000 calls a second and
 * {@code k} = 2, nothing is refused any more after a quarter of an hour with a window of 2 minutes, and after little more than a
 * minute with one of 10 s. Priorities have no effect.
 *
 * <p>The window is counted in ten slices, and the oldest ends as a whole. A rejection is {@code SHED}, with the time until that
 * changes the probability; another call may pass before. A ticker that runs back lengthens the window. A change of the figures keeps
 * what was counted; an evicted key begins with nothing. {@link Strategy#details()} has {@code refusedPerMille}, the probability. Put
 * no queue before it: each attempt of a waiter would be counted.
 *
 * @param k how many calls the service may get for each that it takes, 1 to 1000, exact to three digits
 * @param window the time over which calls are counted, 1 s to 1 h
 */
public record AdaptiveThrottle(double k, Duration window) implements ClientLimit {
    private static final Duration WINDOW = Duration.ofMinutes(2);

    /** @throws IllegalArgumentException if a component is out of its range */
    public AdaptiveThrottle {
        ClientStrategy.check("k", k, 1, 1000);
        Slices.check("window", window);
    }

    /**
     * A throttle that counts over 2 minutes.
     *
     * @param k how many calls the service may get for each that it takes, 1 to 1000
     * @throws IllegalArgumentException if it is out of its range
     */
    public static AdaptiveThrottle of(double k) {
        return new AdaptiveThrottle(k, WINDOW);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return create(ticker, new SplittableRandom());
    }

    /** A throttle that draws from this, one call at a time. */
    Strategy create(Ticker ticker, RandomGenerator random) {
        return new Throttle(this, new Calls(ticker, window, random));
    }

    /** Always adjusts a running throttle; it keeps what was counted. */
    @Override
    public boolean adjust(Strategy running) {
        if (running instanceof Throttle throttle) {
            throttle.figures = this;
            return true;
        }
        return false;
    }

    static final class Throttle extends ClientStrategy {
        private volatile AdaptiveThrottle figures;
        private volatile Calls calls;

        Throttle(AdaptiveThrottle figures, Calls calls) {
            this.figures = figures;
            this.calls = calls;
        }

        /* Permits of the earlier one are counted in the same place. */
        @Override
        public void takeOver(PartStrategy before) {
            if (before instanceof Throttle earlier) {
                calls = earlier.calls;
            }
        }

        @Override
        public long acquire(Request request) {
            long wait = request.permits() > InFlight.MAX ? GRANTED : calls.draw(figures);
            return wait == GRANTED ? counter.acquire(request) : wait;
        }

        @Override
        public void release(Request request, Outcome outcome) {
            counter.release(request.permits());
            if (outcome != Outcome.CANCELLED) {
                calls.ended(outcome != Outcome.DROPPED);
            }
        }

        /** Not known: whether the next request is granted is drawn. */
        @Override
        public @Nullable Quota quota(Request request) {
            return null;
        }

        @Override
        public Reason reason(Request request, long answer) {
            if (answer < 0) {
                return Reason.NEVER;
            }
            return answer == UNTIL_RELEASE ? Reason.CONCURRENCY : Reason.SHED;
        }

        @Override
        public Set<Reason> reasons() {
            return Set.of(Reason.SHED);
        }

        @Override
        public Map<String, Long> details() {
            return Map.of("refusedPerMille", calls.refusedPerMille(figures));
        }
    }

    /** The calls of the last window. In thousandths, so that k is a whole number. */
    private static final class Calls {
        private static final int REQUESTS = 0;
        private static final int ACCEPTS = 1;
        private static final long SCALE = 1000;

        @GuardedBy("this")
        private final Slices slices;

        @GuardedBy("this")
        private final RandomGenerator random;

        Calls(Ticker ticker, Duration window, RandomGenerator random) {
            this.slices = new Slices(ticker, window, 2);
            this.random = random;
        }

        /** Granted, or in how many nanoseconds the probability changes by itself. */
        synchronized long draw(AdaptiveThrottle figures) {
            long excess = excess(figures);
            if (excess <= 0 || random.nextLong(outOf()) >= excess) {
                return Strategy.GRANTED;
            }
            slices.add(REQUESTS, 1);
            return slices.untilNext();
        }

        @GuardedBy("this")
        private long excess(AdaptiveThrottle figures) {
            slices.advance();
            slices.periodIs(figures.window);
            return slices.sum(REQUESTS) * SCALE - slices.sum(ACCEPTS) * Math.round(figures.k * SCALE);
        }

        @GuardedBy("this")
        private long outOf() {
            return (slices.sum(REQUESTS) + 1) * SCALE;
        }

        synchronized void ended(boolean isAccepted) {
            slices.advance();
            slices.add(REQUESTS, 1);
            slices.add(ACCEPTS, isAccepted ? 1 : 0);
        }

        synchronized long refusedPerMille(AdaptiveThrottle figures) {
            return Math.max(0, excess(figures)) * SCALE / outOf();
        }
    }
}
