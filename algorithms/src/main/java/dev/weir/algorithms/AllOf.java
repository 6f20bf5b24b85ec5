package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Ticker;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.succession.RampProgress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Several limits at once: a request is granted by all members or takes nothing from any. A rejection answers the largest wait
 * of all members ({@code NEVER} before {@code UNTIL_RELEASE} before nanoseconds), with the reason and the limit of that
 * member. What the other members granted to a refused request is returned at once, as {@link Outcome#CANCELLED}.
 *
 * <pre>{@code
 * // at most 10 in flight and at most 100 per second
 * StrategySpec both = AllOf.of(new Semaphore(10), TokenBucket.of(100, Duration.ofSeconds(1)));
 * Limiter payments = Limiters.of("payments", both);
 * }</pre>
 *
 * <p>{@link Strategy#limit()} and {@code setLimit} are those of the first member; {@code inFlight} is the largest of all. If
 * a member holds permits until release, requests are decided one at a time, under a short lock: otherwise a request might
 * be refused, and then wait, because of a request that is itself being refused. If all members are rates there is no lock,
 * and a request may be told to wait for permits that another request is just returning.
 *
 * <p>An {@code AllOf} in an {@code AllOf} is the same as all their members in one. Several {@link Keyed} that count by the same names
 * are one member, whose keys have an {@code AllOf} each; it keeps as many keys as the largest of them, and the first
 * {@link dev.weir.keyed.HeavyHitters} records its keys. {@code docs/how/changes.md} says what a
 * change does to the members.
 *
 * @param limits the members, 1 to 64, including the members of members that are {@code AllOf} themselves
 */
public record AllOf(List<StrategySpec> limits) implements PartSpec {
    private static final int MAX_MEMBERS = 64;

    /**
     * Copies and checks the members.
     *
     * @throws IllegalArgumentException if there are no members or more than 64
     * @throws NullPointerException if the list or a member is null
     */
    public AllOf {
        limits = List.copyOf(limits);
        Check.within("limits.size()", limits.size(), 1, MAX_MEMBERS);
        Check.within("members of all limits", parts(limits).size(), 1, MAX_MEMBERS);
    }

    /**
     * All of these limits.
     *
     * @throws IllegalArgumentException if there are no members or more than 64
     */
    public static AllOf of(StrategySpec... limits) {
        return new AllOf(List.of(limits));
    }

    @Override
    public List<StrategySpec> parts() {
        return parts(limits);
    }

    private static List<StrategySpec> parts(List<StrategySpec> limits) {
        /* Limits by the same names are one table, so that in a change each finds what the others have counted of a key. */
        Map<Object, StrategySpec> parts = new LinkedHashMap<>();
        for (StrategySpec limit : limits) {
            for (StrategySpec part : limit.parts()) {
                Object names = part instanceof Keyed keyed ? keyed.by() : new Object();
                parts.merge(names, part, (one, other) -> joined((Keyed) one, (Keyed) other));
            }
        }
        return List.copyOf(parts.values());
    }

    private static Keyed joined(Keyed one, Keyed other) {
        return new Keyed(
                of(one.perKey(), other.perKey()),
                Math.max(one.maxKeys(), other.maxKeys()),
                Math.max(one.debtCells(), other.debtCells()),
                one.hitters() == null ? other.hitters() : one.hitters(),
                one.by());
    }

    @Override
    public Strategy create(Ticker ticker) {
        return compose(parts().stream().map(part -> Parts.create(part, ticker)).toList(), ticker);
    }

    @Override
    public PartStrategy compose(List<PartStrategy> parts, Ticker ticker) {
        return parts.size() == 1 ? parts.get(0) : new CombinedStrategy(parts.toArray(PartStrategy[]::new), ticker);
    }

    @Override
    public AllOf after(@Nullable RampProgress ramp, Ticker ticker) {
        return new AllOf(limits.stream()
                .map(limit -> Parts.of(limit).after(ramp, ticker))
                .toList());
    }
}
