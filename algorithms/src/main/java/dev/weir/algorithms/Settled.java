package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.internal.Require;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.EvictedState;
import dev.weir.succession.PartSpec;
import dev.weir.succession.Parts;
import dev.weir.succession.RampProgress;
import dev.weir.succession.SettledRate;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rate of what requests cost, which is known only when the work has ended: tokens of a model, rows of a query, bytes of an export. A
 * request is granted by an {@linkplain dev.weir.Request#settled estimate}, and {@link dev.weir.Permit#settle} tells what it has cost: what
 * is less is refunded as far as it has not refilled, what is more is charged.
 *
 * <pre>{@code
 * // 400,000 tokens and 500 requests a minute, at most 40 at the same time
 * Limiter model = Limiters.of("model", AllOf.of(
 *         Settled.of(TokenBucket.of(400_000, Duration.ofMinutes(1))),
 *         TokenBucket.of(500, Duration.ofMinutes(1)),
 *         new Semaphore(40)));
 * if (model.tryAcquire(Request.ONE.settled(3_000)) instanceof Permit permit) {
 *     try (permit) {
 *         permit.settle(ask().tokens());
 *     }
 * }
 * }</pre>
 *
 * <p>Settle calls that were answered. If what stands behind the limit refuses a call, as with a 429, release its permit without settling:
 * the estimate stays spent, because the limit believed that there is more than there is. Settled as 0, it would go on to believe that, and
 * every third call may be refused ({@code docs/proof/tokens.md}).
 *
 * <p>A request without a cost takes its permits. Beside other limits, each of those takes the permits of the request, and this one
 * the cost. What is charged may take the rate below zero; it refuses until that has refilled at its rate, and no longer. In any
 * window of length W no more is spent than the rate alone would grant, and what was charged.
 *
 * <p>A change of the limit or of the algorithm keeps what was spent, and a debt refuses after it as before. A key that is evicted
 * keeps its debt, but is granted what refills as soon as it returns. Requests are decided one at a time, under a short lock.
 *
 * @param rate the rate, of which burst and limit are in the unit of the cost: any algorithm of a rate but a {@link Pacer} and a
 *     batched bucket, also one that warms up, and one of an author with an {@link Strategy#account() account}
 * @param isOnce whether a request for more than the burst is granted when nothing is used, and leaves a debt; otherwise it is refused
 *     as {@code NEVER}
 */
public record Settled(StrategySpec rate, boolean isOnce) implements PartSpec {
    /** @throws IllegalArgumentException if the rate is none that can be settled */
    public Settled {
        Objects.requireNonNull(rate, "rate");
        StrategySpec cold = rate instanceof WarmUp warmUp ? warmUp.target() : rate;
        boolean cannot = cold instanceof Pacer
                || cold instanceof StripedBucket.BatchedBucket
                || cold instanceof Keyed
                || cold instanceof AllOf
                || cold instanceof Settled;
        Require.that(
                !cannot && Parts.create(rate, () -> 0).account() != null,
                "rate must be one rate with an account, not a pacer nor batched nor for keys",
                rate);
    }

    /**
     * This rate by cost, which refuses a request for more than its burst.
     *
     * @throws IllegalArgumentException if the rate is none that can be settled
     */
    public static Settled of(StrategySpec rate) {
        return new Settled(rate, false);
    }

    /** The same, which grants a request for more than the burst when nothing is used. */
    public Settled once() {
        return new Settled(rate, true);
    }

    private Settled around(StrategySpec other) {
        return new Settled(other, isOnce);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new SettledRate(rate, isOnce, ticker);
    }

    /** Adjusts or replaces the rate inside of the running strategy, which is the same afterwards. */
    @Override
    public boolean adjust(Strategy running) {
        if (running instanceof SettledRate settled) {
            settled.changeTo(rate, isOnce);
            return true;
        }
        return false;
    }

    @Override
    public StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        StrategySpec next = Parts.of(rate).after(ramp, ticker);
        return next == rate ? this : around(next);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, @Nullable StrategySpec before) {
        return around(Parts.of(rate).forMany(ticker, before instanceof Settled settled ? settled.rate : null));
    }

    @Override
    public StrategySpec withLimit(long limit) {
        return around(Parts.of(rate).withLimit(limit));
    }

    @Override
    public @Nullable EvictedState evictedState(Ticker ticker) {
        return Parts.of(rate).evictedState(ticker);
    }
}
