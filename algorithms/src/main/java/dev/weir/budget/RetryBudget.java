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

/**
 * A budget for retries: a share of the calls that succeed, plus a floor. While a service answers, one retry for ten successes hides
 * a failed call; when it is down, nothing pays in, and the retries fall to the floor instead of multiplying the load. The rule is
 * that of Finagle's {@code RetryBudget} and of Linkerd; gRPC's retry throttling has the same share, a stock in place of the
 * period, and takes a token for each failure too.
 *
 * <pre>{@code
 * // one retry for ten successes, and three a second in any case
 * Limiter payments = Limiters.of("payments", RetryBudget.of(0.1, 3));
 * Decision again = payments.tryAcquire(Request.ONE.withPriority(1)); // a retry
 * }</pre>
 *
 * <p>A request of priority 0 is a first attempt, and is always granted. Any other is a retry: it takes its permits from what
 * successes paid in during the last {@code period}, the oldest first, then from the floor. A permit that is released as {@code
 * SUCCESS} pays in {@code share} of itself, of a first attempt and of a retry; any other outcome pays nothing. What was paid in ends after
 * nine to ten tenths of the period. The floor starts full and fills up again within a second. So, from the start on and up to any
 * instant T,
 *
 * <pre>{@code retries <= share * successes + floorPerSecond * (T + 1 s)}</pre>
 *
 * <p>and requests for single retries get {@code floorPerSecond} of them in each second, whatever was granted before. A service
 * that fails all at once gets, beside the floor, at most {@code share} of the successes of one period as retries, as fast as they
 * are asked for: a short period makes that small.
 *
 * <p>A rejection is {@code RATE}, with the time in which the floor grants it, if it does; {@code NEVER} for more than 2^31-1 permits.
 * A retry that was granted and undone ({@code CANCELLED}, of a request that is {@link Request#refundable refundable}) is paid back. A
 * ticker that runs back adds nothing to the floor meanwhile and lengthens the period. A change of the figures keeps what is left, and a
 * lower floor cuts its part; an evicted key begins again with a full floor. {@link Strategy#details()} has {@code retriesLeft}. Put no
 * queue before it: a retry that waits there is in the way of first attempts.
 *
 * @param share of a success that may be retried, 0 to 1, exact to nine digits
 * @param floorPerSecond retries a second without any success, 0 to 10^9
 * @param period for how long a success counts, 1 s to 1 h
 */
public record RetryBudget(double share, long floorPerSecond, Duration period) implements ClientLimit {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final long MAX_FLOOR = 1_000_000_000;

    /** @throws IllegalArgumentException if a component is out of its range */
    public RetryBudget {
        ClientStrategy.check("share", share, 0, 1);
        ClientStrategy.check("floorPerSecond", (double) floorPerSecond, 0, (double) MAX_FLOOR);
        Slices.check("period", period);
    }

    /**
     * A budget in which a success counts for 10 s.
     *
     * @param share of a success that may be retried, 0 to 1
     * @param floorPerSecond retries a second without any success, 0 to 10^9
     * @throws IllegalArgumentException if a number is out of its range
     */
    public static RetryBudget of(double share, long floorPerSecond) {
        return new RetryBudget(share, floorPerSecond, PERIOD);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Retries(this, ticker);
    }

    /** Always adjusts a running budget; it keeps what is left. */
    @Override
    public boolean adjust(Strategy running) {
        if (running instanceof Retries retries) {
            retries.adjust(this);
            return true;
        }
        return false;
    }

    static final class Retries extends ClientStrategy {
        private volatile RetryBudget figures;
        private volatile Balance balance;

        Retries(RetryBudget figures, Ticker ticker) {
            this.figures = figures;
            this.balance = new Balance(figures, ticker);
        }

        void adjust(RetryBudget next) {
            figures = next;
            balance.use(next);
        }

        /* Permits of the earlier one are released to the same balance. */
        @Override
        public void takeOver(PartStrategy before) {
            if (before instanceof Retries earlier) {
                balance = earlier.balance;
                balance.use(figures);
            }
        }

        @Override
        public long acquire(Request request) {
            if (request.priority() == 0) {
                return counter.acquire(request);
            }
            return request.permits() > InFlight.MAX ? NEVER : balance.take(figures, request.permits(), counter);
        }

        @Override
        public void release(Request request, Outcome outcome) {
            counter.release(request.permits());
            if (outcome == Outcome.SUCCESS) {
                balance.succeeded(request.permits());
            } else if (outcome == Outcome.CANCELLED && request.priority() > 0) {
                balance.payBack(request.permits());
            }
        }

        @Override
        public Quota quota(Request request) {
            return quota(request.priority() == 0 ? InFlight.MAX : balance.left() / Balance.PERMIT);
        }

        @Override
        public Set<Reason> reasons() {
            return Set.of(Reason.RATE);
        }

        @Override
        public Map<String, Long> details() {
            return Map.of("retriesLeft", balance.left() / Balance.PERMIT);
        }
    }

    /** The rest of a budget. */
    private static final class Balance {
        /** One permit: what the floor gets in a nanosecond is a whole number. */
        static final long PERMIT = 1_000_000_000;

        private static final int PAID = 0;

        @GuardedBy("this")
        private final Slices paid;

        @GuardedBy("this")
        private RetryBudget figures;

        @GuardedBy("this")
        private long floor;

        Balance(RetryBudget figures, Ticker ticker) {
            this.figures = figures;
            this.paid = new Slices(ticker, figures.period, 1);
            this.floor = figures.floorPerSecond * PERMIT;
        }

        synchronized void use(RetryBudget next) {
            advance();
            figures = next;
            paid.periodIs(next.period);
        }

        @GuardedBy("this")
        private void advance() {
            long nanos = Math.min(paid.advance(), PERMIT);
            floor = Math.min(floor + figures.floorPerSecond * nanos, figures.floorPerSecond * PERMIT);
        }

        synchronized long take(RetryBudget inForce, long permits, InFlight counter) {
            if (inForce != figures) {
                use(inForce);
            }
            advance();
            long needed = permits * PERMIT;
            long missing = needed - paid.sum(PAID) - floor;
            if (missing > 0) {
                return untilFloorHas(missing);
            }
            long answer = counter.acquire(permits, 0);
            if (answer == Strategy.GRANTED) {
                floor -= paid.take(PAID, needed);
            }
            return answer;
        }

        @GuardedBy("this")
        private long untilFloorHas(long missing) {
            long perNano = figures.floorPerSecond;
            boolean isTooMuch = floor + missing > perNano * PERMIT;
            return isTooMuch ? Strategy.UNTIL_RELEASE : (missing - 1) / perNano + 1;
        }

        synchronized void succeeded(long permits) {
            advance();
            paid.add(PAID, Math.round(figures.share * PERMIT) * permits);
        }

        synchronized void payBack(long permits) {
            advance();
            paid.add(PAID, permits * PERMIT);
        }

        synchronized long left() {
            advance();
            return paid.sum(PAID) + floor;
        }
    }
}
