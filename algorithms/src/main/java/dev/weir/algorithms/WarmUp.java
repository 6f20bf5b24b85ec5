package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.internal.Require;
import dev.weir.keyed.Keyed;
import dev.weir.spi.RampCurve;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.EvictedState;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.succession.RampProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A limit that starts cold: it rises from a floor to the full limit of its target over a period, in 256 steps. While it
 * rises it never falls, and it is never below the floor nor below 1. Limits are whole numbers, rounded up: to start a slow
 * rate more slowly, give it a longer period, such as 60 per minute instead of 1 per second.
 *
 * <pre>{@code
 * // from 33 to 100 in flight within a minute after the start
 * Limiter orders = Limiters.of("orders", WarmUp.of(new Semaphore(100), Duration.ofMinutes(1)));
 * }</pre>
 *
 * <ul>
 *   <li>A concurrency limit is set to the limit of each step by the first request after that step has begun.
 *   <li>A rate counts by its full limit. In addition, a bucket has to grant each request; its rate and capacity rise from the
 *       floor's share of the rate and of its burst. In any window no more is granted than the burst and the integral of the
 *       rising rate.
 *   <li>Of {@code AllOf} the first limit warms up.
 *   <li>Of {@code Keyed} the limit of each key warms up: all keys together, since the table was created.
 * </ul>
 *
 * <p>While it is cold, a request is refused as {@code NEVER} only if the full limit would refuse it too, and as {@code
 * UNTIL_RELEASE} only if no later step can help; otherwise the rejection tells when to ask again.
 *
 * <p>{@link Strategy#limit()} is the limit in force now; {@code setLimit} sets the full one, what {@code setLimit} was given last.
 *
 * <p>A change of specification keeps the progress, as a part of the period. A limit that ran without a warm-up counts as
 * warm. A limit turns cold again only by idleness, if {@code coolAfterIdle} is given: when a request comes after no request
 * and no release of any key for that time, and nothing granted since the warm-up began is in flight. A limit is not idle
 * during the wait that a rejection gave.
 *
 * @param target what warms up, not a warm-up itself; of several limits the first one
 * @param period from cold to full, 1 ns to 73 years
 * @param floorPercent the limit to start from, in per cent of the full one, rounded up: 1 to 100
 * @param curve how it rises; where the curve is below the floor, the floor is used
 * @param coolAfterIdle the idle time after which it is cold again, 1 ns to 73 years; null = never
 */
public record WarmUp(
        StrategySpec target,
        Duration period,
        int floorPercent,
        RampCurve curve,
        @Nullable Duration coolAfterIdle) implements PartSpec {

    /**
     * @throws IllegalArgumentException if a component is out of its range, or if the first limit of the target is a warm-up
     * @throws NullPointerException if a component other than {@code coolAfterIdle} is null
     */
    public WarmUp {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(curve, "curve");
        Check.nanos("period", period);
        Check.within("floorPercent", floorPercent, 1, 100);
        if (coolAfterIdle != null) {
            Check.nanos("coolAfterIdle", coolAfterIdle);
        }
        StrategySpec first = target.parts().get(0);
        StrategySpec inner =
                first instanceof Keyed keyed ? keyed.perKey().parts().get(0) : first;
        StrategySpec rate = inner instanceof Settled settled ? settled.rate() : inner;
        boolean isWarming = rate instanceof WarmUp || rate instanceof StartedWarmUp;
        Require.that(!isWarming, "target must not warm up by itself", target);
    }

    /**
     * A linear warm-up from 33 % of the limit that never turns cold again.
     *
     * @throws IllegalArgumentException if the period is out of its range, or if the first limit of the target is a warm-up
     */
    public static WarmUp of(StrategySpec target, Duration period) {
        return new WarmUp(target, period, 33, RampCurve.LINEAR, null);
    }

    private WarmUp around(StrategySpec other) {
        return new WarmUp(other, period, floorPercent, curve, coolAfterIdle);
    }

    /** The parts of the target, of which the first one warms up. */
    @Override
    public List<StrategySpec> parts() {
        List<StrategySpec> parts = new ArrayList<>(target.parts());
        StrategySpec first = parts.get(0);
        if (first instanceof Keyed keyed) {
            parts.set(0, keyed.withPerKey(around(keyed.perKey())));
        } else if (first instanceof Settled settled) {
            parts.set(0, new Settled(around(settled.rate()), settled.isOnce()));
        } else {
            parts.set(0, first == target ? this : around(first));
        }
        return List.copyOf(parts);
    }

    @Override
    public PartStrategy compose(List<PartStrategy> parts, Ticker ticker) {
        return Parts.of(target).compose(parts, ticker);
    }

    @Override
    public Strategy create(Ticker ticker) {
        List<StrategySpec> parts = parts();
        return parts.get(0) == this
                ? new StartedWarmUp(Parts.of(target), cold(ticker)).create(ticker)
                : compose(parts.stream().map(part -> Parts.create(part, ticker)).toList(), ticker);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, @Nullable StrategySpec before) {
        return each(
                part -> Parts.of(part).forMany(ticker, null),
                () -> new StartedWarmUp(Parts.of(Parts.of(target).forMany(ticker, null)), cold(ticker)));
    }

    @Override
    public StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        return each(
                part -> Parts.of(part).after(ramp, ticker),
                () -> new StartedWarmUp(Parts.of(target), cold(ticker).after(ramp)));
    }

    private StrategySpec each(UnaryOperator<StrategySpec> others, Supplier<StartedWarmUp> own) {
        List<StrategySpec> parts = parts();
        return parts.get(0) == this
                ? own.get()
                : new AllOf(parts.stream().map(others).toList());
    }

    private RampProgress cold(Ticker ticker) {
        long idle = coolAfterIdle == null ? 0 : coolAfterIdle.toNanos();
        return new RampProgress(ticker, curve, floorPercent / 100.0, period.toNanos(), idle);
    }

    /** A {@link WarmUp} of one limit with a ramp that has begun, which several strategies may share. */
    private record StartedWarmUp(PartSpec target, RampProgress sharedRamp) implements PartSpec {
        @Override
        public Strategy create(Ticker ticker) {
            PartStrategy inner = Parts.create(target, ticker);
            return inner.traits().holds() || inner.account() == null
                    ? WarmingLimit.of(inner, target, sharedRamp)
                    : IndebtedRate.rising(inner, sharedRamp);
        }

        @Override
        public boolean adjust(Strategy running) {
            return running instanceof WarmingLimit warming
                    ? warming.steps().adjust(target, sharedRamp)
                    : target.adjust(running);
        }

        @Override
        public StartedWarmUp forMany(Ticker ticker, @Nullable StrategySpec before) {
            StrategySpec inner = before instanceof StartedWarmUp started ? started.target : before;
            return new StartedWarmUp(Parts.of(target.forMany(ticker, inner)), sharedRamp);
        }

        @Override
        public StartedWarmUp withLimit(long limit) {
            return new StartedWarmUp(Parts.of(target.withLimit(limit)), sharedRamp);
        }

        @Override
        public @Nullable EvictedState evictedState(Ticker ticker) {
            return target.evictedState(ticker);
        }
    }
}
