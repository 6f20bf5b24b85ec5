package dev.weir.engine;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.internal.RequestRule;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.succession.ByCost;
import dev.weir.succession.CountsByKey;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartStrategy;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The strategy in force and everything else that one admission reads. Replaced as a whole, except for the limit. */
final class ActiveStrategy {
    /** In how long to ask again what could not decide. */
    private static final long RETRY_NANOS = 100_000_000;

    final String limiter;
    final StrategySpec spec;
    final PartStrategy strategy;
    final Instrumentation instrumentation;

    /** Makes the key of each request; null = requests are counted as they are. */
    final @Nullable RequestRule rule;

    /** The same object as long as the strategy is not replaced, also if the strategy is put in force again later. */
    final Object generation;

    /** True while this strategy is being replaced and grants nothing any more. */
    final boolean changing;

    /** True if {@code CANCELLED} refunds what a permit spent, by the time at which it was granted. */
    final boolean refunds;

    final boolean holds;

    final boolean explains;

    /** Those parts that are by cost, and not by key. */
    private final List<PartStrategy> ofAllByCost;

    private final boolean routes;

    /** The strategy, if nothing else of this is needed to grant or to refuse. */
    final @Nullable Strategy direct;

    /** The same, if it is a plain counter. */
    final @Nullable InFlight counter;

    /* The limit last set, and what follows from it: written when the limit changes, read at any time. A rejection may name
    the limit of a moment ago. */
    private volatile long limit;
    private volatile Rejection full;
    private volatile Grantable grantable;
    private volatile @Nullable String limitSetBy;

    ActiveStrategy(
            String limiter,
            StrategySpec spec,
            PartStrategy strategy,
            Instrumentation instrumentation,
            @Nullable RequestRule rule,
            Object generation,
            Grantable grantable,
            boolean changing) {
        this.limiter = limiter;
        this.spec = spec;
        this.strategy = strategy;
        this.instrumentation = instrumentation;
        this.rule = rule;
        this.generation = generation;
        this.changing = changing;
        Traits traits = strategy.traits();
        this.refunds = traits.refunds();
        this.holds = traits.holds();
        this.routes = strategy.routes();
        this.explains = routes || traits.explains();
        this.ofAllByCost = strategy.members().stream()
                .filter(part -> part instanceof ByCost && !(part instanceof CountsByKey))
                .toList();
        this.direct = instrumentation.isActive || routes || changing ? null : strategy;
        this.counter = direct instanceof InFlight plain ? plain : null;
        this.limit = strategy.limit();
        this.full = new Rejection(limiter, Reason.CONCURRENCY, 0, limit);
        this.grantable = grantable;
    }

    /** The same strategy with other instrumentation, for requests counted by another rule. */
    ActiveStrategy with(Instrumentation instrumentedBy, @Nullable RequestRule countedBy) {
        ActiveStrategy same =
                new ActiveStrategy(limiter, spec, strategy, instrumentedBy, countedBy, generation, grantable, false);
        same.limitSetBy = limitSetBy;
        return same;
    }

    /** The same strategy while it is being replaced. */
    ActiveStrategy changing() {
        return new ActiveStrategy(limiter, spec, strategy, instrumentation, rule, generation, grantable, true);
    }

    /** The strategy by another specification and rule: this one, adjusted in place, or one that replaces it. */
    ActiveStrategy succeededBy(StrategySpec nextSpec, @Nullable RequestRule nextRule, PartStrategy next) {
        Object nextGeneration = next == strategy && Objects.equals(rule, nextRule) ? generation : new Object();
        Grantable nextGrantable = grantable.of(nextSpec, next.target());
        ActiveStrategy successor = new ActiveStrategy(
                limiter, nextSpec, next, instrumentation, nextRule, nextGeneration, nextGrantable, false);
        boolean sameFirstPart =
                nextSpec == spec || nextSpec.parts().get(0).equals(spec.parts().get(0));
        if (sameFirstPart && next.target() == strategy.target()) {
            successor.limitSetBy = limitSetBy;
        }
        return successor;
    }

    /** Fails after the limiter was closed. */
    void checkOpen() {
        if (strategy == ClosedStrategy.INSTANCE) {
            throw new IllegalStateException("limiter " + limiter + " is closed");
        }
    }

    /** Completes what a change left to do after it was published. */
    void settle(Failures failures) {
        for (PartStrategy member : strategy.members()) {
            try {
                member.settle();
            } catch (Throwable t) {
                failures.ignore(t);
            }
        }
    }

    /** Another limit than that of the specification was set. */
    void limitIs(long set, String by) {
        limit = set;
        full = new Rejection(limiter, Reason.CONCURRENCY, 0, set);
        grantable = grantable.of(spec, set);
        limitSetBy = by;
    }

    /** The limit that was in force or set last. */
    long limit() {
        return limit;
    }

    Predicate<Request> grantable() {
        Grantable present = grantable;
        return rule == null ? present : request -> present.test(countedOrSame(request));
    }

    /** The request as it is counted; null if it lacks the key. */
    @Nullable
    Request counted(Request request) {
        RequestRule by = rule;
        return by == null ? request : by.counted(request);
    }

    /** The same; the request itself if it lacks the key. */
    Request countedOrSame(Request request) {
        Request counted = counted(request);
        return counted == null ? request : counted;
    }

    /** The answer to a request that lacks the key. */
    Decision withoutKey() {
        return Objects.requireNonNull(rule).withoutKey(limiter);
    }

    Snapshot snapshot(long inFlight, long oldestHeldNanos, long now) {
        Suspension suspension = strategy == ClosedStrategy.INSTANCE ? null : instrumentation.suspension;
        String why = suspension == null ? "" : suspension.why();
        long suspended = suspension == null ? 0 : Math.max(0, suspension.leftNanos(now));
        return new Snapshot(
                limiter,
                spec,
                strategy.limit(),
                inFlight,
                instrumentation.enforced,
                oldestHeldNanos,
                Snapshot.owedNanos(strategy),
                limitSetBy,
                suspended,
                suspended == 0 ? null : why,
                strategy.details());
    }

    Strategy strategyFor(Request request) {
        return routes ? strategy.route(request) : strategy;
    }

    /** The permit for what a strategy of this granted, if it needs no data. */
    Permit permit(ReleasePath path, Strategy granted, Request request) {
        return holds ? HeldPermit.of(path, granted, request, null, true) : SpentPermit.INSTANCE;
    }

    /** The same, with the data that it needs, if any; observers are told. Each of its {@code own} is released only once. */
    Permit permit(
            ReleasePath path,
            Strategy granted,
            boolean own,
            Request request,
            @Nullable PermitDetails details,
            @Nullable RequestData requestData) {
        HeldPermit permit = HeldPermit.of(path, granted, request, details, own || holds);
        if (details != null) {
            try {
                boolean passed = granted == UnenforcedStrategy.INSTANCE;
                details.instrumentation.admitted(details, request, holds && !passed, passed, requestData);
            } catch (Throwable t) {
                path.failures.ignore(t);
            }
        }
        return permit;
    }

    /** The rejection by the plain counter. */
    Rejection rejection(Request request, long answer) {
        return answer == Strategy.UNTIL_RELEASE ? full : rejection(strategy, request, answer);
    }

    /** True if a part by cost that is not by key has less left than the request takes. */
    boolean lacksForAll(Request request) {
        for (PartStrategy part : ofAllByCost) {
            Permit.Quota left = part.quota(request);
            if (left != null && left.remaining() < request.amount()) {
                return true;
            }
        }
        return false;
    }

    Rejection suspended(long nanos) {
        return new Rejection(limiter, Reason.SUSPENDED, nanos, limit);
    }

    Rejection rejection(Strategy refused, Request request, long answer) {
        if (answer == Strategy.UNAVAILABLE) {
            return new Rejection(limiter, Reason.UNAVAILABLE, RETRY_NANOS, 0);
        }
        if (explains) {
            long wait = answer < 0 || answer == Strategy.UNTIL_RELEASE ? 0 : answer;
            return new Rejection(limiter, refused.reason(request, answer), wait, refused.limit());
        }
        if (answer == Strategy.UNTIL_RELEASE) {
            return full;
        }
        return answer < 0
                ? new Rejection(limiter, Reason.NEVER, 0, limit)
                : new Rejection(limiter, Reason.RATE, answer, limit);
    }
}
