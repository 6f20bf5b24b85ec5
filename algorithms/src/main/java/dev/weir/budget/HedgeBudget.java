package dev.weir.budget;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartStrategy;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A budget for hedges, which are second calls for a slow first one: a share of the calls that succeed, saved up to a burst. It keeps
 * the load that hedges add within the share, also when every call is slow. A failure takes away what ten or twenty successes paid
 * in, so hedges end soon after a service begins to fail. The rule is that of gRPC's retry throttling, which also holds for its
 * hedges: a success adds {@code tokenRatio}, a failure takes one.
 *
 * <pre>{@code
 * // one hedge for twenty successes
 * Limiter search = Limiters.of("search", HedgeBudget.of(0.05));
 * Decision second = search.tryAcquire(Request.ONE.withPriority(1)); // a hedge
 * }</pre>
 *
 * <p>A request of priority 0 is a first call, and is always granted. Any other is a hedge: it takes its permits from the balance, or
 * is refused. A permit that is released as {@code SUCCESS} pays in {@code share} of itself, of a first attempt and of a hedge;
 * {@code DROPPED} takes all of itself, as far as it is there; {@code IGNORED} changes nothing: release so what was cancelled
 * because the other call was quicker. The balance starts at 0, so {@code hedges <= share * successes} at any time. There is no
 * time in it.
 *
 * <p>A rejection is {@code RATE}, without a hint, or {@code NEVER} for more permits than the burst. A hedge that was granted and undone
 * ({@code CANCELLED}, of a request that is {@link Request#refundable refundable}) is paid back. A change of the figures keeps the
 * balance, and a smaller burst cuts it; an evicted key begins again with 0. {@link Strategy#details()} has {@code hedgesLeft}.
 *
 * @param share of a success that may be hedged, 0 to 1, exact to nine digits
 * @param burst the most hedges at once, 1 to 2^31-1
 */
public record HedgeBudget(double share, long burst) implements ClientLimit {
    private static final long BURST = 10;
    private static final long PERMIT = 1_000_000_000;

    /** @throws IllegalArgumentException if a component is out of its range */
    public HedgeBudget {
        ClientStrategy.check("share", share, 0, 1);
        ClientStrategy.check("burst", (double) burst, 1, (double) InFlight.MAX);
    }

    /**
     * A budget that saves up to 10 hedges.
     *
     * @param share of a success that may be hedged, 0 to 1
     * @throws IllegalArgumentException if it is out of its range
     */
    public static HedgeBudget of(double share) {
        return new HedgeBudget(share, BURST);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Hedges(this);
    }

    /** Always adjusts a running budget; it keeps its balance, up to the burst. */
    @Override
    public boolean adjust(Strategy running) {
        if (running instanceof Hedges hedges) {
            hedges.figures = this;
            return true;
        }
        return false;
    }

    static final class Hedges extends ClientStrategy {
        private volatile HedgeBudget figures;
        private volatile AtomicLong balance = new AtomicLong();

        Hedges(HedgeBudget figures) {
            this.figures = figures;
        }

        /* Permits of the earlier one are released to the same balance. */
        @Override
        public void takeOver(PartStrategy before) {
            if (before instanceof Hedges earlier) {
                balance = earlier.balance;
            }
        }

        @Override
        public long acquire(Request request) {
            if (request.priority() == 0) {
                return counter.acquire(request);
            }
            if (request.permits() > figures.burst) {
                return NEVER;
            }
            long spent = request.permits() * PERMIT;
            long left = balance.get();
            while (Math.min(left, most()) >= spent) {
                if (balance.compareAndSet(left, Math.min(left, most()) - spent)) {
                    return counted(request);
                }
                left = balance.get();
            }
            return UNTIL_RELEASE;
        }

        private long counted(Request request) {
            long answer = counter.acquire(request);
            if (answer != GRANTED) {
                change(request.permits() * PERMIT);
            }
            return answer;
        }

        @Override
        public void release(Request request, Outcome outcome) {
            counter.release(request.permits());
            switch (outcome) {
                case SUCCESS -> change(Math.round(figures.share * PERMIT) * request.permits());
                case DROPPED -> change(-PERMIT * request.permits());
                case CANCELLED -> change(request.priority() == 0 ? 0 : request.permits() * PERMIT);
                case IGNORED -> {}
            }
        }

        private void change(long amount) {
            balance.updateAndGet(left -> Math.max(0, Math.min(left + amount, most())));
        }

        private long most() {
            return figures.burst * PERMIT;
        }

        @Override
        public Quota quota(Request request) {
            return quota(request.priority() == 0 ? InFlight.MAX : left());
        }

        private long left() {
            return Math.min(balance.get(), most()) / PERMIT;
        }

        @Override
        public Set<Reason> reasons() {
            return Set.of(Reason.RATE, Reason.NEVER);
        }

        @Override
        public Map<String, Long> details() {
            return Map.of("hedgesLeft", left());
        }
    }
}
