package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.keyed.Keyed;
import dev.weir.spi.EvictedState;
import dev.weir.spi.RampCurve;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.Succession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A limit that starts cold: it rises from a floor to the target's full limit over a period, in 256 steps. It never falls
 * on the way, is never below the floor nor below 1, and is the full limit when the period has passed. Limits are whole
 * numbers, rounded up: for a slow rate to start slower, say it by a longer period, 60 a minute instead of 1 a second.
 *
 * <ul>
 *   <li>A concurrency limit is set to each step's limit when somebody asks after that step has begun.
 *   <li>A rate counts by its full limit. Beside it a bucket, whose rate and capacity rise from the floor's share of the
 *       rate and of its burst, has to grant a request too. In any window no more is granted than the burst and the
 *       integral of the rising rate.
 *   <li>Of {@code AllOf} the first limit warms up.
 *   <li>Of {@code Keyed} the limit of each key warms up: all keys since the table began, and together.
 * </ul>
 *
 * <p>While it is cold no refusal is for good unless the full limit would refuse too, and none waits for a release only
 * where a later step may help: such a refusal tells when to ask again.
 *
 * <p>{@link Strategy#limit()} is the limit in force now; {@code setLimit} sets the full one, {@link Strategy#target()}.
 *
 * <p>A change of specification keeps the progress, as a part of the period. What was running without a warm-up was warm,
 * so wrapping it starts warm. It turns cold again only by idleness, if asked for: when a request comes after nobody has
 * asked or released anything, by any key, for {@code coolAfterIdle}, and nothing that was granted since the warm-up
 * began is in flight. While somebody waits as a refusal told, it is not idle.
 *
 * @param target what warms up, not a warm-up itself; its limit is the first one's if it is several
 * @param period from cold to full, 1 ns to 73 years
 * @param floorPercent the limit to start from, in per cent of the full one, rounded up: 1 to 100
 * @param curve how it rises; where it is below the floor, the floor holds
 * @param coolAfterIdle after how long unused it is cold again, 1 ns to 73 years; null = never
 */
public record WarmUp(
        StrategySpec target,
        Duration period,
        int floorPercent,
        RampCurve curve,
        @Nullable Duration coolAfterIdle) implements StrategySpec {

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if one is out of its range, or if the target's first limit warms up by itself
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
        if (inner instanceof WarmUp || inner instanceof Begun) {
            throw new IllegalArgumentException("target must not warm up by itself, was " + target);
        }
    }

    /** A linear one from a third of the limit that never cools. */
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
        } else {
            parts.set(0, first == target ? this : around(first));
        }
        return List.copyOf(parts);
    }

    @Override
    public Strategy compose(List<Strategy> parts, Ticker ticker) {
        return target.compose(parts, ticker);
    }

    @Override
    public Strategy create(Ticker ticker) {
        List<StrategySpec> parts = parts();
        return parts.get(0) == this
                ? new Begun(target, cold(ticker)).create(ticker)
                : compose(parts.stream().map(part -> part.create(ticker)).toList(), ticker);
    }

    @Override
    public StrategySpec forMany(Ticker ticker) {
        return each(part -> part.forMany(ticker), () -> new Begun(target.forMany(ticker), cold(ticker)));
    }

    @Override
    public StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        return each(
                part -> part.after(ramp, ticker),
                () -> new Begun(target, cold(ticker).after(ramp)));
    }

    private StrategySpec each(UnaryOperator<StrategySpec> others, Supplier<Begun> own) {
        List<StrategySpec> parts = parts();
        return parts.get(0) == this
                ? own.get()
                : new AllOf(parts.stream().map(others).toList());
    }

    private RampProgress cold(Ticker ticker) {
        long idle = coolAfterIdle == null ? 0 : coolAfterIdle.toNanos();
        return new RampProgress(ticker, curve, floorPercent / 100.0, period.toNanos(), idle);
    }

    /** One limit that rises with a ramp that has begun, as others may. A warm-up is this before it adjusts anything. */
    private record Begun(StrategySpec target, RampProgress sharedRamp) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            Strategy inner = target.create(ticker);
            return inner.traits().holds() || inner.refillRate() == null
                    ? WarmingLimit.of(inner, target, sharedRamp)
                    : Succession.rising(inner, sharedRamp);
        }

        @Override
        public boolean adjust(Strategy running) {
            return running instanceof WarmingLimit warming
                    ? warming.adjust(target, sharedRamp)
                    : target.adjust(running);
        }

        @Override
        public Begun forMany(Ticker ticker) {
            return new Begun(target.forMany(ticker), sharedRamp);
        }

        @Override
        public Begun forMany(Ticker ticker, StrategySpec before) {
            StrategySpec inner = before instanceof Begun begun ? begun.target : before;
            return new Begun(target.forMany(ticker, inner), sharedRamp);
        }

        @Override
        public Begun withLimit(long limit) {
            return new Begun(target.withLimit(limit), sharedRamp);
        }

        @Override
        public @Nullable EvictedState evictedState(Ticker ticker) {
            return target.evictedState(ticker);
        }
    }
}
