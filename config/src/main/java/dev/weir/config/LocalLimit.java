package dev.weir.config;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.WarmUp;
import dev.weir.config.document.LimitPlan;
import dev.weir.distributed.ClusterShare;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.HeavyHitters;
import dev.weir.keyed.Keyed;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One named limit as this process counts it: the limiter, its queue, its control and its share. Changed by one thread at a time;
 * read by any.
 */
final class LocalLimit {
    /*
     * The limiter lives as long as the entry of the name. When something else answers the name, its permits and what it has
     * granted stay, and count again when the name returns here.
     */
    static final QueueSpec NO_QUEUE = QueueSpec.of(0).waiting(Duration.ZERO);

    private final Environment environment;
    private final ManagedLimiter limiter;
    private final AdaptivePart adaptive;
    private final SharePart sharing;
    private volatile @Nullable AdmissionQueue queue;
    /* One for each name, so that it goes on through all changes of the limit. */
    private volatile @Nullable HeavyHitters hotKeys;
    /* Null while it is not known what the limiter has. */
    private @Nullable StrategySpec spec;
    /* Whether the control has not heard yet that the limiter has another specification. */
    private boolean isNew;
    private double enforced = 1;
    private int tracked;

    LocalLimit(LimitPlan plan, Environment environment) {
        this.environment = environment;
        spec = spec(plan);
        limiter = environment.limiter(plan.name(), spec);
        adaptive = new AdaptivePart(limiter, environment, () -> queue);
        sharing = new SharePart(limiter, environment);
    }

    ManagedLimiter limiter() {
        return limiter;
    }

    @Nullable
    AdmissionQueue queue() {
        return queue;
    }

    @Nullable
    ClusterShare share() {
        return sharing.running();
    }

    @Nullable
    AdaptiveControl control() {
        return adaptive.control();
    }

    /** Brings all but the control to these settings. */
    Backend.Local apply(LimitPlan plan) {
        boolean wasShared = sharing.isOn();
        if (plan.share() != null) {
            adaptive.apply(null, null, plan.spec(), false);
        }
        sharing.apply(plan);
        StrategySpec wanted = spec(plan);
        isNew |= !wanted.equals(spec);
        if (!sharing.isOn() && (wasShared || !wanted.equals(spec))) {
            spec = null;
            limiter.reconfigure(wanted);
        }
        spec = wanted;
        if (tracked != plan.trackPermits()) {
            limiter.trackPermits(plan.trackPermits());
            tracked = plan.trackPermits();
        }
        if (enforced != plan.enforce()) {
            limiter.enforce(plan.enforce());
            enforced = plan.enforce();
        }
        environment.observers().add(limiter, observer -> observer.onLimiter(limiter));
        return new Backend.Local(limiter, queue(plan.queue()), plan.queue() != null);
    }

    /** Brings the control to these settings, once the rest answers requests. */
    void adapt(LimitPlan plan) {
        adaptive.apply(plan.adaptive(), plan, spec(plan), isNew);
        isNew = false;
    }

    private StrategySpec spec(LimitPlan plan) {
        if (!plan.hotKeys()) {
            return plan.spec();
        }
        HeavyHitters recording = hotKeys;
        if (recording == null) {
            recording = new HeavyHitters();
            hotKeys = recording;
        }
        return watched(plan.spec(), recording);
    }

    private static StrategySpec watched(StrategySpec spec, HeavyHitters by) {
        if (spec instanceof Keyed keyed) {
            return keyed.watchedBy(by);
        }
        if (spec instanceof AllOf all) {
            return new AllOf(
                    all.limits().stream().map(each -> watched(each, by)).toList());
        }
        return spec instanceof WarmUp cold
                ? new WarmUp(
                        watched(cold.target(), by),
                        cold.period(),
                        cold.floorPercent(),
                        cold.curve(),
                        cold.coolAfterIdle())
                : spec;
    }

    /** The keys that are granted and refused most; null if they were never recorded. */
    @Nullable
    HeavyHitters hotKeys() {
        return hotKeys;
    }

    private @Nullable AdmissionQueue queue(@Nullable QueueSpec wanted) {
        AdmissionQueue present = queue;
        if (present != null) {
            present.reconfigure(wanted == null ? NO_QUEUE : wanted);
        } else if (wanted != null) {
            AdmissionQueue made = AdmissionQueue.builder(limiter.name(), limiter, wanted)
                    .ticker(environment.ticker())
                    .alarm(environment.alarm())
                    .build();
            queue = made;
            environment.observers().add(made, observer -> observer.onQueue(made));
        }
        return queue;
    }

    /** Lets those who wait go: something else answers the name. Permits that are held stay valid. */
    void leave() {
        List<String> ignored = new ArrayList<>();
        StrategySpec last = spec;
        if (last != null) {
            environment.guarded(ignored, () -> adaptive.apply(null, null, last, false));
        }
        environment.observers().remove(limiter);
        AdmissionQueue waiting = queue;
        if (waiting != null) {
            queue = null;
            environment.observers().remove(waiting);
            environment.guarded(ignored, waiting::close);
        }
        if (sharing.isOn()) {
            environment.guarded(ignored, sharing::stop);
            spec = null;
        }
    }

    void close() {
        environment.guarded(new ArrayList<>(), limiter::close);
    }
}
