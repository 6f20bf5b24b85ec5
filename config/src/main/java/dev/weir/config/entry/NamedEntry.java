package dev.weir.config.entry;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.algorithms.Closed;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.LimitPlan.KeyMissing;
import dev.weir.config.entry.ChangeLog.Cause;
import dev.weir.config.entry.ClusterStore.Setup;
import dev.weir.config.schema.PlanText;
import dev.weir.config.status.Explanation;
import dev.weir.config.status.LimitStatus;
import dev.weir.distributed.ClusterLimiter;
import dev.weir.distributed.ClusterShare;
import dev.weir.distributed.remote.RemoteStatus;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import dev.weir.executor.ExecutorLedger;
import dev.weir.executor.LimitedExecutor;
import dev.weir.executor.ResizableThreadPool;
import dev.weir.queue.AdmissionQueue;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One name of a registry: the settings that its writers want, and the parts that bring them in force. Thread-safe. */
public final class NamedEntry {
    /*
     * `target` is what should be in force. `update` brings each part there, one thread at a time, and publishes `inForce`.
     *
     * If a part cannot be brought there, the settings that were in force before are put into the target again, if nobody has
     * changed it meanwhile; where there were none, the name has none.
     *
     * A backend of another kind is published before the one that it replaces is closed:
     *
     *     a request                       a change
     *     reads backend b1
     *                                     inForce := b2
     *                                     b1 is closed: refuses
     *     refused by b1
     *     reads b2 != b1: asks b2
     */
    private final String name;
    private final Environment environment;
    private final AtomicReference<WantedSettings> target;
    private final ChangeLog log;
    private final SerialWork updates = new SerialWork();
    private final AtomicReference<@Nullable LimitedExecutor> executor = new AtomicReference<>();
    private final AtomicReference<@Nullable ResizableThreadPool> pool = new AtomicReference<>();
    private volatile InForce inForce;
    /* Told of the limiter in this process, where a request needs nothing but it; else of null. */
    private volatile Consumer<@Nullable ManagedLimiter> direct = none -> {};
    /* Null until the name is first counted in this process. */
    private volatile @Nullable LocalLimit local;
    /* What follows belongs to the thread that updates. */
    private WantedSettings applied = WantedSettings.NOTHING;
    private LimitPlan.@Nullable Pool resized;

    /**
     * The answers to requests at present.
     *
     * @param keys the key that requests must have; null = none
     */
    public record InForce(Backend backend, @Nullable KeyRule keys) {
        /** The request as it is counted; null if it lacks the key. */
        @Nullable
        Request counted(Request request) {
            return keys == null ? KeyRule.withoutValues(request) : keys.counted(request);
        }
    }

    NamedEntry(String name, Environment environment) {
        this.name = name;
        this.environment = environment;
        log = new ChangeLog(environment.clock());
        target = new AtomicReference<>(WantedSettings.NOTHING);
        inForce = new InForce(new Backend.Nothing(name), null);
    }

    public String name() {
        return name;
    }

    public Environment environment() {
        return environment;
    }

    public InForce inForce() {
        return inForce;
    }

    /** Tells the handle, before the first change, of each limiter that answers requests alone; null = none does. */
    public void tellDirect(Consumer<@Nullable ManagedLimiter> handle) {
        direct = handle;
    }

    /** Asks without waiting, once more if another backend answers by then. */
    public Decision tryAcquire(Request request) {
        InForce asked = inForce;
        Decision decision = tryAcquire(request, asked);
        while (isReplaced(decision, asked)) {
            asked = inForce;
            decision = tryAcquire(request, asked);
        }
        return decision;
    }

    private Decision tryAcquire(Request request, InForce asked) {
        Request counted = asked.counted(request);
        return counted == null ? withoutKey(asked) : asked.backend.tryAcquire(counted);
    }

    /** The answer to a request without the key that the limit counts by. */
    Decision withoutKey(InForce asked) {
        KeyRule keys = asked.keys;
        return keys != null && keys.missing() == KeyMissing.SKIP && !(asked.backend instanceof Backend.Nothing)
                ? new SeveralPermits(List.of())
                : new Rejection(name, Reason.KEY_MISSING, 0, 0);
    }

    /**
     * Whether a request that was refused must be asked for again: another backend answers now, or it lacks a key that it may not
     * have needed when it was asked for.
     */
    boolean isReplaced(@Nullable Decision answer, InForce asked) {
        if (!(answer instanceof Rejection refused)) {
            return false;
        }
        InForce present = inForce;
        return asked.backend.isReplacedBy(present.backend)
                || (refused.reason() == Reason.KEY_MISSING && asked != present);
    }

    WantedSettings target() {
        return Objects.requireNonNull(target.get());
    }

    @Nullable
    public LocalLimit local() {
        return local;
    }

    public Duration maxWait() {
        return inForce.backend.maxWait();
    }

    public Permit.@Nullable Quota quota(Request request) {
        InForce present = inForce;
        Request counted = present.counted(request);
        return counted == null ? null : present.backend.quota(counted);
    }

    public Snapshot snapshot() {
        Backend backend = inForce.backend;
        if (backend instanceof Backend.Local counted) {
            return counted.limiter().snapshot();
        }
        StrategySpec spec =
                backend instanceof Backend.Stored stored ? stored.limiter().spec() : new Closed();
        return new Snapshot(name, spec, 0, 0, 1, 0, 0, null, Map.of());
    }

    public LimitStatus status() {
        WantedSettings wanted = target();
        LimitPlan plan = wanted.plan();
        Backend backend = inForce.backend;
        LocalLimit mine = local;
        AdmissionQueue queue = mine == null ? null : mine.queue();
        AdaptiveControl control = mine == null ? null : mine.control();
        ClusterShare share = mine == null ? null : mine.share();
        return new LimitStatus(
                name,
                plan == null ? Map.of() : plan.settings(),
                backend instanceof Backend.Nothing,
                wanted.orphan(),
                wanted.override(),
                backend instanceof Backend.Local counted ? counted.limiter().snapshot() : null,
                backend instanceof Backend.Stored stored ? stored.limiter().spec() : null,
                queue == null ? null : queue.snapshot(),
                control == null ? null : control.snapshot(),
                mine == null ? null : mine.hotKeys(),
                share == null ? null : share.status());
    }

    /**
     * The reasons for what is in force.
     *
     * @param said what the document in force says of the name; null = nothing
     * @param version of the document in force
     */
    public Explanation explain(@Nullable LimitPlan said, String version) {
        WantedSettings wanted = target();
        LimitStatus status = status();
        LimitPlan plan = wanted.plan();
        LimitPlan document = wanted.document();
        LimitPlan found = said != null && said.isSame(document) ? said : null;
        return new Explanation(
                wanted.writer(status),
                plan == null ? "" : PlanText.of(plan).substring(plan.name().length() + 2),
                document == null ? null : found != null ? found.origin() : document.origin(),
                document == null ? "" : found != null ? version : wanted.version(),
                log.lastOfDocument(),
                wanted.caps(),
                status,
                log.last());
    }

    /** Changes what should be in force, and puts it in force; returns what failed, unless another thread does it. */
    List<String> change(Cause cause, UnaryOperator<WantedSettings> how) {
        AtomicReference<WantedSettings> old = new AtomicReference<>();
        WantedSettings wanted = target.updateAndGet(before -> {
            old.set(before);
            return how.apply(before);
        });
        List<String> failures = update();
        WantedSettings before = Objects.requireNonNull(old.get());
        if (target().plan() == wanted.plan()) {
            record(cause, before, wanted);
        }
        return failures;
    }

    /* What a document says during an override is a change, too. */
    private void record(Cause cause, WantedSettings before, WantedSettings after) {
        if (before.plan() != after.plan()) {
            log.add(cause, ChangeLog.differences(name, before.plan(), after.plan()));
        } else if (before.document() != after.document()) {
            log.add(cause, ChangeLog.differences(name, before.document(), after.document()));
        }
    }

    /** The last changes of what is in force. */
    ChangeLog log() {
        return log;
    }

    void close() {
        target.updateAndGet(WantedSettings::ended);
        update();
    }

    private List<String> update() {
        List<String> failures = new ArrayList<>();
        updates.run(() -> update(failures));
        return failures;
    }

    private void update(List<String> failures) {
        WantedSettings wanted = target();
        if (environment.guarded(failures, () -> apply(wanted))) {
            applied = wanted;
        } else {
            WantedSettings last = before(wanted);
            // What fails again stays as it is, instead of being tried for ever.
            if (!last.equals(wanted) && target.compareAndSet(wanted, last)) {
                updates.again();
            }
        }
    }

    /* A default that cannot be brought in force is forgotten with the rest. */
    private WantedSettings before(WantedSettings failed) {
        WantedSettings last = applied;
        boolean isDefault = failed.document() == last.document() && failed.override() == last.override();
        return new WantedSettings(
                isDefault ? last.declared() : failed.declared(),
                failed.caps(),
                last.document(),
                last.version(),
                failed.orphan(),
                failed.override() == last.override() ? failed.override() : null,
                failed.closed());
    }

    private void apply(WantedSettings wanted) {
        LimitPlan plan = wanted.plan();
        if (plan == null) {
            publish(new Backend.Nothing(name), null);
            leaveLocal();
            if (wanted.closed()) {
                shutDown();
            }
            return;
        }
        Setup setup = wanted.setup(environment.store());
        if (setup == null) {
            applyLocal(plan);
        } else {
            applyStored(plan, setup);
            leaveLocal();
        }
    }

    private void applyStored(LimitPlan plan, Setup wanted) {
        ClusterLimiter answering;
        if (inForce.backend instanceof Backend.Stored present && present.setup().isLike(wanted)) {
            answering = present.limiter();
            if (!present.setup().spec().equals(wanted.spec())) {
                answering.reconfigure(wanted.spec());
            }
        } else {
            answering = environment.store().limiter(name, wanted);
            if (answering instanceof RemoteStatus.Source source) {
                Supplier<RemoteStatus> status = source::status;
                environment.observers().add(answering, observer -> observer.onClusterLimiter(name, status));
            }
        }
        publish(new Backend.Stored(answering, wanted), KeyRule.of(plan));
    }

    private void applyLocal(LimitPlan plan) {
        LocalLimit mine = local;
        if (mine == null) {
            mine = new LocalLimit(plan, environment, log);
            local = mine;
        }
        KeyRule keys = KeyRule.of(plan);
        if (keys != null && inForce.backend instanceof Backend.Local present) {
            // From before the limiter needs the key: no request is refused because it lacks one that it may lack.
            inForce = new InForce(present, keys);
            direct.accept(null);
        }
        publish(mine.apply(plan), keys);
        mine.adapt(plan);
        resize(plan.pool());
    }

    private void leaveLocal() {
        LocalLimit mine = local;
        if (mine != null) {
            mine.leave();
        }
    }

    private void publish(Backend next, @Nullable KeyRule keys) {
        Backend before = inForce.backend;
        inForce = new InForce(next, keys);
        direct.accept(keys == null && next instanceof Backend.Local mine && mine.isAlone() ? mine.limiter() : null);
        if (before instanceof Backend.Stored replaced && replaced.isReplacedBy(next)) {
            environment.observers().remove(replaced.limiter());
            // What it has taken from the store and not granted returns there.
            environment.guarded(new ArrayList<>(), replaced.limiter()::close);
        }
    }

    private void shutDown() {
        List<String> ignored = new ArrayList<>();
        LimitedExecutor tasks = executor.get();
        if (tasks != null) {
            environment.observers().remove(tasks);
            environment.guarded(ignored, tasks::shutdown);
        }
        LocalLimit mine = local;
        if (mine != null) {
            mine.close();
        }
    }

    /**
     * The executor over the threads that the settings describe.
     *
     * @throws IllegalStateException if they describe none
     */
    public LimitedExecutor executor() {
        LimitedExecutor present = executor.get();
        if (present != null) {
            return present;
        }
        LimitPlan plan = target().plan();
        LimitPlan.Pool threads = plan == null ? null : plan.pool();
        if (threads == null) {
            throw new IllegalStateException(
                    "the limit " + name + " must have a section 'executor', or be given an executor to wrap");
        }
        ResizableThreadPool made = ResizableThreadPool.of(
                threads.core(), threads.max(), threads.queueCapacity(), Executors.defaultThreadFactory());
        LimitedExecutor created = over(made).owningDelegate().build();
        if (!executor.compareAndSet(null, created)) {
            created.shutdown();
            return Objects.requireNonNull(executor.get());
        }
        pool.set(made);
        Supplier<ExecutorLedger> ledger = created::ledger;
        environment.observers().add(created, observer -> observer.onExecutor(name, ledger));
        update();
        if (target().closed()) {
            created.shutdown();
        }
        return created;
    }

    /** An executor over this one, under the limit. */
    public LimitedExecutor executor(Executor delegate) {
        return over(delegate).build();
    }

    private LimitedExecutor.Builder over(Executor delegate) {
        return LimitedExecutor.builder(delegate, new FollowingQueue(this), this::maxWait)
                .maxWaitOfQueue();
    }

    private void resize(LimitPlan.@Nullable Pool wanted) {
        ResizableThreadPool threads = pool.get();
        if (threads == null || wanted == null || wanted.equals(resized)) {
            return;
        }
        threads.resize(wanted.core(), wanted.max());
        threads.resizeQueue(wanted.queueCapacity());
        threads.setKeepAlive(wanted.keepAlive());
        resized = wanted;
    }
}
