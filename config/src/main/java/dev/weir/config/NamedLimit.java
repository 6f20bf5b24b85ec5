package dev.weir.config;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.config.document.LimitPlan;
import dev.weir.distributed.ClusterShare;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.executor.LimitedExecutor;
import dev.weir.executor.ResizableThreadPool;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One named limit of a registry: the limiter and, as they are asked for, its queue, its executor and its controls. Thread-safe.
 */
final class NamedLimit {
    /*
     * `target` is what should be in force. `update` brings each part there, one thread at a time.
     *
     * If a part cannot be brought there, the plan that was in force before is put into the target again, if nobody has changed it
     * meanwhile; where there was neither a plan nor a default, the limit is closed.
     *
     * Parts that are created on demand are created by the thread that asks, which then calls `update`, so that they get what
     * came in between.
     */
    static final QueueSpec NO_QUEUE = QueueSpec.of(0).waiting(Duration.ZERO);

    private final String name;
    private final Environment environment;
    private final ManagedLimiter limiter;
    private final AtomicReference<Target> target;
    private final SerialWork updates = new SerialWork();
    /* Of two that are made, the loser closes its own, then asks for an update. */
    private final AtomicReference<@Nullable AdmissionQueue> queue = new AtomicReference<>();
    private final AtomicReference<@Nullable ResizableThreadPool> pool = new AtomicReference<>();
    private final AtomicReference<@Nullable LimitedExecutor> executor = new AtomicReference<>();
    private final AdaptivePart adaptive;
    private final SharePart sharing;
    private StrategySpec applied;
    private @Nullable LimitPlan lastGood;
    private double enforced = 1;
    private LimitPlan.@Nullable Pool appliedPool;

    /**
     * The target of a name: the default that code declares, and the plan of the document.
     *
     * @param declared the default that code declares; null = none
     * @param plan what the document says; null = nothing
     */
    record Target(
            @Nullable StrategySpec declared,
            Caps caps,
            @Nullable LimitPlan plan,
            boolean closed) {
        StrategySpec spec() {
            return plan == null ? Objects.requireNonNull(declared) : plan.spec();
        }

        double enforce() {
            return plan == null ? 1 : plan.enforce();
        }

        boolean isShared() {
            return plan != null && plan.share() != null;
        }

        QueueSpec queue() {
            return plan == null || plan.queue() == null ? NO_QUEUE : plan.queue();
        }

        LimitPlan.@Nullable Adaptive adaptive() {
            return closed || plan == null ? null : plan.adaptive();
        }

        LimitPlan.@Nullable Pool pool() {
            return plan == null ? null : plan.pool();
        }

        /** With another plan; without a plan and a default, it goes. */
        Target with(@Nullable LimitPlan other) {
            return new Target(declared, caps, other, closed || (other == null && declared == null));
        }
    }

    NamedLimit(String name, Target target, Environment environment) {
        this.name = name;
        this.environment = environment;
        this.target = new AtomicReference<>(target);
        applied = target.spec();
        limiter = Limiters.builder(name, applied).ticker(environment.ticker()).build();
        adaptive = new AdaptivePart(limiter, environment, () -> queue.get());
        sharing = new SharePart(limiter, environment);
        // Before anybody can get the limiter: it grants nothing but its share.
        sharing.apply(target.plan);
    }

    ManagedLimiter limiter() {
        return limiter;
    }

    List<String> dimensions() {
        LimitPlan plan = target().plan();
        return plan == null ? List.of() : plan.dimensions();
    }

    Target target() {
        return Objects.requireNonNull(target.get());
    }

    @Nullable
    ClusterShare share() {
        return sharing.running();
    }

    @Nullable
    AdaptiveControl control() {
        return adaptive.control();
    }

    /** The parts become known to observers, and what the target says is in force; returns what failed. */
    List<String> start() {
        environment.observers().add(limiter, observer -> observer.onLimiter(limiter));
        return update();
    }

    /** Changes what should be in force, and puts it in force; returns what failed, unless another thread does it. */
    List<String> change(UnaryOperator<Target> how) {
        target.updateAndGet(how);
        return update();
    }

    void close() {
        change(before -> new Target(before.declared, before.caps, before.plan, true));
    }

    AdmissionQueue queue() {
        AdmissionQueue present = queue.get();
        if (present != null) {
            return present;
        }
        AdmissionQueue created = AdmissionQueue.builder(name, limiter, target().queue())
                .ticker(environment.ticker())
                .alarm(environment.alarm())
                .build();
        if (!queue.compareAndSet(null, created)) {
            created.close();
            return Objects.requireNonNull(queue.get());
        }
        environment.observers().add(created, observer -> observer.onQueue(created));
        update();
        return created;
    }

    /**
     * The executor over the threads that the document describes.
     *
     * @throws IllegalStateException if it describes none
     */
    LimitedExecutor executor() {
        LimitedExecutor present = executor.get();
        if (present != null) {
            return present;
        }
        LimitPlan.Pool threads = target().pool();
        if (threads == null) {
            throw new IllegalStateException(
                    "the limit " + name + " must have a section 'executor', or be given an executor to wrap");
        }
        ResizableThreadPool made = ResizableThreadPool.of(
                threads.core(), threads.max(), threads.queueCapacity(), Executors.defaultThreadFactory());
        LimitedExecutor created = LimitedExecutor.builder(made, queue())
                .maxWaitOfQueue()
                .owningDelegate()
                .build();
        if (!executor.compareAndSet(null, created)) {
            created.shutdown();
            return Objects.requireNonNull(executor.get());
        }
        pool.set(made);
        environment.observers().add(created, observer -> observer.onExecutor(name, created));
        update();
        return created;
    }

    LimitedExecutor executor(Executor delegate) {
        return LimitedExecutor.builder(delegate, queue()).maxWaitOfQueue().build();
    }

    private List<String> update() {
        List<String> failures = new ArrayList<>();
        updates.run(() -> {
            Target wanted = target();
            if (wanted.closed) {
                shutDown();
            } else if (environment.guarded(failures, () -> apply(wanted))) {
                lastGood = wanted.plan;
            } else if (wanted.plan != lastGood && target.compareAndSet(wanted, wanted.with(lastGood))) {
                updates.again();
            }
        });
        return failures;
    }

    private void apply(Target wanted) {
        StrategySpec before = applied;
        boolean wasShared = sharing.isOn();
        if (wanted.isShared()) {
            adaptive.apply(null, null, applied, false);
        }
        sharing.apply(wanted.plan);
        if (!sharing.isOn() && (wasShared || !wanted.spec().equals(applied))) {
            limiter.reconfigure(wanted.spec());
        }
        applied = wanted.spec();
        if (enforced != wanted.enforce()) {
            limiter.enforce(wanted.enforce());
            enforced = wanted.enforce();
        }
        AdmissionQueue waiting = queue.get();
        if (waiting != null && !wanted.queue().equals(waiting.spec())) {
            waiting.reconfigure(wanted.queue());
        }
        adaptive.apply(wanted.adaptive(), wanted.plan, applied, before != applied);
        resize(wanted.pool());
    }

    private void resize(LimitPlan.@Nullable Pool wanted) {
        ResizableThreadPool threads = pool.get();
        if (threads == null || wanted == null || wanted.equals(appliedPool)) {
            return;
        }
        threads.resize(wanted.core(), wanted.max());
        threads.resizeQueue(wanted.queueCapacity());
        threads.setKeepAlive(wanted.keepAlive());
        appliedPool = wanted;
    }

    private void shutDown() {
        List<String> ignored = new ArrayList<>();
        environment.guarded(ignored, () -> adaptive.apply(null, null, applied, false));
        environment.guarded(ignored, sharing::stop);
        LimitedExecutor tasks = executor.get();
        if (tasks != null) {
            environment.observers().remove(tasks);
            environment.guarded(ignored, tasks::shutdown);
        }
        AdmissionQueue waiting = queue.get();
        if (waiting != null) {
            environment.observers().remove(waiting);
            environment.guarded(ignored, waiting::close);
        }
        environment.observers().remove(limiter);
        environment.guarded(ignored, limiter::close);
    }
}
