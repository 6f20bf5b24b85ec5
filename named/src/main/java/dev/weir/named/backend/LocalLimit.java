package dev.weir.named.backend;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.LimiterView;
import dev.weir.engine.ManagedLimiter;
import dev.weir.internal.RuledLimiter;
import dev.weir.keyed.HeavyHitters;
import dev.weir.keyed.Keyed;
import dev.weir.named.backend.ChangeLog.Cause;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.status.ConfigEvent.Difference;
import dev.weir.named.status.LimitChange.Writer;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.QueueView;
import dev.weir.share.Share;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One named limit as this process counts it: the limiter, its queue, its control and its share. Changed by one thread at a time;
 * read by any.
 */
public final class LocalLimit {
    /*
     * The limiter lives as long as the entry of the name. When something else answers the name, its permits and what it has
     * granted stay, and count again when the name returns here.
     */

    private final Environment environment;
    private final ChangeLog log;
    private final ManagedLimiter limiter;
    private final LimiterView view;
    private final AdaptivePart adaptive;
    private final SharePart sharing;
    private final RuledLimiter rules;
    private volatile @Nullable AdmissionQueue queue;
    /* One for each name, so that it goes on through all changes of the limit. */
    private volatile @Nullable HeavyHitters hotKeys;
    /* Null while it is not known what the limiter has. */
    private @Nullable StrategySpec spec;
    /* Whether the control has not heard yet that the limiter has another specification. */
    private boolean isNew;
    /* The thread that puts settings in force. */
    private volatile @Nullable Thread changing;

    LocalLimit(LimitPlan plan, Environment environment, ChangeLog log) {
        this.environment = environment;
        this.log = log;
        spec = watched(plan, plan.spec());
        limiter = environment.limiter(plan.name(), spec);
        adaptive = new AdaptivePart(limiter, environment, () -> queue);
        sharing = new SharePart(limiter, environment);
        rules = (RuledLimiter) limiter;
        view = LimiterView.of(limiter);
        Registration unused = limiter.observe(new Changes(), false);
    }

    /** The observer of what the share and the control change. Another thread may tell of a change of the document. */
    private final class Changes implements LimiterObserver {
        @Override
        public void onLimitChanged(long from, long to, String why) {
            boolean isReplaced = why.equals("reconfigured");
            if (!isReplaced || (sharing.sets() && Thread.currentThread() != changing)) {
                Cause cause = isReplaced ? new Cause(Writer.SHARE, "") : new Cause(Writer.CONTROL, why);
                log.add(cause, List.of(new Difference(limiter.name(), ChangeLog.LIMIT, "" + from, "" + to)));
            }
        }
    }

    public ManagedLimiter limiter() {
        return limiter;
    }

    public @Nullable AdmissionQueue queue() {
        return queue;
    }

    @Nullable
    public Share share() {
        return sharing.running();
    }

    @Nullable
    public AdaptiveControl control() {
        return adaptive.control();
    }

    /** Brings all but the control to these settings. */
    Backend.Local apply(LimitPlan plan) {
        changing = Thread.currentThread();
        try {
            return applied(plan);
        } finally {
            changing = null;
            environment.observers().add(limiter, observer -> observer.onLimiter(view));
        }
    }

    private Backend.Local applied(LimitPlan plan) {
        KeyRule keys = KeyRule.of(plan);
        boolean wasShared = share() != null;
        if (plan.find(LimitPlan.SHARE) != null) {
            adaptive.apply(null, null, plan.spec(), isNew);
        }
        sharing.apply(plan, shared -> watched(plan, shared), () -> rules.countNextBy(keys));
        StrategySpec wanted = watched(plan, plan.spec());
        // The first comparison of a kind of specification takes milliseconds, and at the start there is nothing to
        // compare.
        boolean isOther = wanted != spec && !wanted.equals(spec);
        isNew |= isOther;
        if (share() == null && (wasShared || isOther)) {
            spec = null;
            adaptive.before(wanted);
            rules.countNextBy(keys);
            limiter.reconfigure(wanted);
        }
        rules.countBy(keys);
        spec = wanted;
        limiter.trackPermits(Math.toIntExact(plan.get(LimitPlan.TRACK_PERMITS)));
        if (limiter.enforced() != plan.get(LimitPlan.ENFORCE)) {
            limiter.enforce(plan.get(LimitPlan.ENFORCE));
        }
        QueueSpec waiting = plan.find(LimitPlan.QUEUE);
        return new Backend.Local(limiter, rules, queue(waiting), waiting != null);
    }

    /** Brings the control to these settings, once the rest answers requests. */
    void adapt(LimitPlan plan) {
        adaptive.apply(plan.find(LimitPlan.ADAPTIVE), plan, watched(plan, plan.spec()), isNew);
        isNew = false;
    }

    private StrategySpec watched(LimitPlan plan, StrategySpec whole) {
        if (!plan.get(LimitPlan.HOT_KEYS)) {
            return whole;
        }
        HeavyHitters recording = hotKeys;
        if (recording == null) {
            recording = new HeavyHitters();
            hotKeys = recording;
        }
        return watched(whole, recording);
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

    @Nullable
    public HeavyHitters hotKeys() {
        return hotKeys;
    }

    private @Nullable AdmissionQueue queue(@Nullable QueueSpec wanted) {
        AdmissionQueue present = queue;
        if (present != null) {
            present.reconfigure(wanted == null ? closedToNew(present.spec()) : wanted);
        } else if (wanted != null) {
            AdmissionQueue made = AdmissionQueue.builder(limiter.name(), limiter, wanted)
                    .ticker(environment.ticker())
                    .alarm(environment.alarm())
                    .build();
            queue = made;
            QueueView seen = QueueView.of(made);
            environment.observers().add(made, observer -> observer.onQueue(seen));
        }
        return queue;
    }

    /* Those who wait keep their order, and no request comes to them. */
    private static QueueSpec closedToNew(QueueSpec last) {
        return new QueueSpec(
                0, last.maxPermits(), last.discipline(), last.retrySchedule(), Duration.ZERO, last.predictive());
    }

    /** Lets those who wait go: something else answers the name. Permits that are held stay valid. */
    void leave() {
        changing = Thread.currentThread();
        StrategySpec last = spec;
        if (last != null) {
            environment.guarded(() -> adaptive.apply(null, null, last, isNew));
        }
        environment.guarded(adaptive::stop);
        environment.observers().remove(limiter);
        AdmissionQueue waiting = queue;
        if (waiting != null) {
            queue = null;
            environment.observers().remove(waiting);
            environment.guarded(waiting::close);
        }
        if (share() != null) {
            environment.guarded(sharing::stop);
            spec = null;
        }
        changing = null;
    }

    void close() {
        environment.guarded(limiter::close);
    }
}
