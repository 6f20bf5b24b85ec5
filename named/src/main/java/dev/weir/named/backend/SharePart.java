package dev.weir.named.backend;

import dev.weir.engine.ManagedLimiter;
import dev.weir.named.plan.LimitPlan;
import dev.weir.share.Division;
import dev.weir.share.Share;
import dev.weir.share.ShareRegistry;
import dev.weir.spi.Account;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The share of one limiter, as the document describes it. Changed by one thread at a time; read by any. */
final class SharePart {
    private final ManagedLimiter limiter;
    private final Environment environment;
    private volatile @Nullable Share running;
    private @Nullable LimitPlan applied;
    private volatile boolean sets;

    SharePart(ManagedLimiter limiter, Environment environment) {
        this.limiter = limiter;
        this.environment = environment;
    }

    @Nullable
    Share running() {
        return running;
    }

    /** True while a share sets the specification of the limiter, or starts to. */
    boolean sets() {
        return sets;
    }

    /**
     * Puts the share of this plan in force. A running share gets another quota; anything else is another share, which refuses all
     * requests until it has a part. May block for as long as the registry does if a share ends.
     */
    void apply(LimitPlan plan, UnaryOperator<StrategySpec> watching, Runnable starting) {
        LimitPlan.Share wanted = plan.find(LimitPlan.SHARE);
        Share present = running;
        if (wanted != null && present != null && continues(plan, wanted)) {
            present.setQuota(wanted.quota());
            applied = plan;
            return;
        }
        stop();
        if (wanted != null) {
            sets = true;
            Share.Builder share = builder(plan, wanted);
            starting.run();
            running = share.limiting(limiter, permits -> watching.apply(plan.specFor(permits)));
            applied = plan;
        }
    }

    private boolean continues(LimitPlan plan, LimitPlan.Share wanted) {
        LimitPlan before = applied;
        LimitPlan.Share last = before == null ? null : before.find(LimitPlan.SHARE);
        return before != null
                && last != null
                && before.spec().equals(plan.spec())
                && before.get(LimitPlan.HOT_KEYS).equals(plan.get(LimitPlan.HOT_KEYS))
                && last.of().equals(wanted.of())
                && last.by() == wanted.by()
                && last.weight() == wanted.weight()
                && last.degraded() == wanted.degraded();
    }

    private Share.Builder builder(LimitPlan plan, LimitPlan.Share wanted) {
        ShareRegistry instances = Objects.requireNonNull(environment.shares().get(wanted.of()));
        Share.Builder builder = Share.builder(limiter.name(), instances, wanted.quota())
                .degraded(wanted.degraded())
                .by(division(plan, wanted))
                .time(environment.ticker(), environment.alarm());
        if (environment.sharing() != null) {
            builder.executor(environment.sharing());
        }
        return builder;
    }

    private Division division(LimitPlan plan, LimitPlan.Share wanted) {
        return switch (wanted.by()) {
            case EQUAL -> Division.equal();
            case WEIGHT -> Division.weighted(wanted.weight());
            case DEMAND -> Division.byDemand(limiter, period(plan.spec()));
        };
    }

    /* The time in which the limit refills; any time if it is one of concurrency. */
    private Duration period(StrategySpec spec) {
        var strategy = spec.create(environment.ticker());
        Account refill = strategy.account();
        return refill == null
                ? Duration.ofSeconds(1)
                : Duration.ofNanos(Math.max(1, refill.nanosUntilRefilled(strategy.limit())));
    }

    /** Ends the share: its limiter refuses all requests until it gets another specification. */
    void stop() {
        Share ended = running;
        running = null;
        applied = null;
        sets = false;
        if (ended != null) {
            ended.close();
        }
    }
}
