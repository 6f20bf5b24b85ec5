package dev.weir.named.backend;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import dev.weir.executor.ExecutorLedger;
import dev.weir.executor.LimitedExecutor;
import dev.weir.executor.ResizableThreadPool;
import dev.weir.executor.TaskCounts;
import dev.weir.named.backend.ChangeLog.Cause;
import dev.weir.named.backend.GivenStore.Setup;
import dev.weir.named.backend.WantedSettings.Hand;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.Explanation;
import dev.weir.named.status.LimitChange.Writer;
import dev.weir.named.status.LimitStatus;
import dev.weir.queue.AdmissionQueue;
import dev.weir.share.Share;
import dev.weir.store.StoreLimiter;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.StoreStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
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
     *
     * The key of a limit in this process is replaced with its specification, by the limiter (RuledLimiter), and read there, so that it is
     * never published before or after. A request asks again only because it finds another backend or another key than it had read, so no
     * more often than these were replaced, and does not wait until `inForce` is written:
     *
     *     a request                       a change of the key
     *     reads inForce, and the key k1
     *     of its limiter
     *                                     the limiter := the new one, by k2
     *                                     observers are told
     *     refused by the limiter: it
     *     lacks k2
     *     reads the key k2 != k1 of the
     *     limiter: asks by k2
     *                                     inForce := the same with k2
     */
    private final String name;
    private final Environment environment;
    private final AtomicReference<WantedSettings> target;
    private final ChangeLog log;
    private final SerialWork updates = new SerialWork();
    private final FollowedRequest.Arrivals arrivals = new FollowedRequest.Arrivals();
    private final SuspensionGate gate;
    private final AtomicReference<@Nullable OwnExecutor> executor = new AtomicReference<>();
    /* Of the tasks of all executors, once there is one. */
    private final AtomicReference<@Nullable TaskCounts> tasks = new AtomicReference<>();
    private volatile Answering inForce;
    /* Told of the limiter in this process, where a request needs nothing but it; else of null. */
    private volatile Consumer<@Nullable ManagedLimiter> direct = none -> {};
    /* Null until the name is first counted in this process. */
    private volatile @Nullable LocalLimit local;
    /* What `inForce` was made of. Written by the thread that updates. */
    private volatile WantedSettings applied;
    /* What follows belongs to the thread that updates. */
    private LimitPlan.@Nullable Pool resized;

    /** The executor over threads of the name's own, and the view of it that users have. */
    private record OwnExecutor(ResizableThreadPool threads, LimitedExecutor all, LimitedExecutor view) {}

    /** A task that one thread at a time runs, once more if it was requested meanwhile. Thread-safe; does not block. */
    private static final class SerialWork {
        /*
         * Who comes while the work is done leaves a mark, and the thread at work goes round once more:
         *
         *     a document                      code declares a default
         *     target := t1
         *     marks 0 -> 1: works
         *                                     target := t2
         *                                     marks 1 -> 2: returns
         *     marks 2 - 1 > 0: works again, with t2
         */
        private final AtomicInteger marks = new AtomicInteger();

        /** Does the work, unless another thread is at it: then that thread does it once more. */
        void run(Runnable work) {
            if (marks.getAndIncrement() == 0) {
                int seen = 1;
                do {
                    work.run();
                    seen = marks.addAndGet(-seen);
                } while (seen != 0);
            }
        }

        /** Asks for one more round, from within the work. */
        void again() {
            marks.getAndIncrement();
        }
    }

    /** A name without settings, at this revision. */
    NamedEntry(String name, Environment environment, long revision) {
        this(name, environment, new Backend.Nothing(name), revision);
    }

    NamedEntry(String name, Environment environment, Backend first, long revision) {
        this.name = name;
        this.environment = environment;
        log = new ChangeLog(environment.clock());
        gate = new SuspensionGate(name, environment);
        applied = WantedSettings.NOTHING.at(revision);
        target = new AtomicReference<>(applied);
        inForce = new Answering(name, first, null);
    }

    public String name() {
        return name;
    }

    public Environment environment() {
        return environment;
    }

    public Answering inForce() {
        return inForce.now();
    }

    FollowedRequest.Arrivals arrivals() {
        return arrivals;
    }

    /** Tells the handle, before the first change, of each limiter that answers requests alone; null = none does. */
    public void tellDirect(Consumer<@Nullable ManagedLimiter> handle) {
        direct = handle;
    }

    /** Asks without waiting, once more whenever another backend or key is in force by then. */
    public Decision tryAcquire(Request request, boolean isUndone) {
        while (true) {
            Answering asked = inForce();
            Request counted = asked.counted(request);
            Decision decision = asked.decider(counted).tryAcquire(counted, isUndone);
            if (!isReplaced(decision, asked)) {
                return decision;
            }
        }
    }

    /**
     * Returns true if the request was refused by another backend or key than is in force now, so that it must be asked again. Not if
     * its time is up. All that ask a name decide it here.
     */
    boolean isReplaced(@Nullable Decision answer, Answering asked) {
        if (!(answer instanceof Rejection refused) || refused.reason() == Reason.TIMED_OUT) {
            return false;
        }
        Answering present = inForce();
        return asked.keys() != present.keys() || asked.backend().isReplacedBy(present.backend());
    }

    WantedSettings target() {
        return Objects.requireNonNull(target.get());
    }

    @Nullable
    public LocalLimit local() {
        return local;
    }

    public Duration maxWait() {
        return inForce.backend().maxWait();
    }

    public boolean charge(Request request) {
        Answering present = inForce();
        Request counted = present.counted(request);
        return present.decider(counted).charge(counted);
    }

    public Permit.@Nullable Quota quota(Request request) {
        Answering present = inForce();
        Request counted = present.counted(request);
        return present.decider(counted).quota(counted);
    }

    /**
     * As {@link dev.weir.Limiter#suspendFor}, of each name if these are several. It is kept here and by the limiter of this process, so
     * that it stays whatever answers the name:
     *
     * <pre>
     *     suspends                        a change
     *     suspends the gate               local := a limiter that is made
     *     reads local                     reads the gate
     * </pre>
     *
     * One of the two sees the other.
     */
    public boolean suspendFor(Duration time, String why) {
        return inForce.backend().suspendFor(time, why, () -> suspend(time, why));
    }

    private boolean suspend(Duration time, String why) {
        boolean isLonger = gate.suspendFor(time, why);
        LocalLimit mine = local;
        if (mine != null) {
            boolean unused = mine.limiter().suspendFor(time, why);
        }
        return isLonger;
    }

    public Snapshot snapshot() {
        Backend backend = inForce.backend();
        if (backend instanceof Backend.Local counted) {
            return counted.limiter().snapshot();
        }
        return new Snapshot(name, backend.spec(), 0, 0, 1, 0, 0, null, gate.leftNanos(), gate.why(), Map.of());
    }

    public LimitStatus status() {
        WantedSettings present = applied;
        LimitPlan plan = present.plan();
        Backend backend = inForce.backend();
        LocalLimit mine = local;
        AdmissionQueue queue = mine == null ? null : mine.queue();
        AdaptiveControl control = mine == null ? null : mine.control();
        Share share = mine == null ? null : mine.share();
        return new LimitStatus(
                name,
                present.revision(),
                plan == null ? Map.of() : plan.settings(),
                backend instanceof Backend.Nothing,
                present.orphan(),
                target().told(name, hand -> hand != present.override()),
                backend instanceof Backend.Local counted ? counted.limiter().snapshot() : null,
                backend instanceof Backend.Stored stored ? stored.limiter().spec() : null,
                queue == null ? null : queue.snapshot(),
                control == null ? null : control.snapshot(),
                mine == null ? null : mine.hotKeys(),
                share == null ? null : share.status(),
                gate.leftNanos(),
                gate.why());
    }

    /** The reasons for what is in force, by what the document in force says of the name; null = nothing. */
    Explanation explain(@Nullable LimitPlan said, String version) {
        WantedSettings present = applied;
        LimitStatus status = status();
        LimitPlan plan = present.plan();
        LimitPlan document = present.document();
        LimitPlan found = said != null && said.isSame(document) ? said : null;
        return new Explanation(
                present.writer(status),
                plan == null ? "" : present.caps().within(plan).text(),
                document == null ? null : found != null ? found.origin() : document.origin(),
                document == null ? "" : found != null ? version : present.version(),
                log.lastOfDocument(),
                present.caps(),
                status,
                log.last());
    }

    /** Changes what should be in force, and puts it in force; returns what failed, unless another thread does it. */
    List<String> change(Cause cause, UnaryOperator<WantedSettings> how) {
        AtomicReference<WantedSettings> old = new AtomicReference<>();
        WantedSettings wanted = target.updateAndGet(before -> {
            old.set(before);
            return how.apply(before).after(before);
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
        if (before.document() != after.document() && before.override() != null && after.override() != null) {
            log.add(cause, ChangeLog.differences(name, before.document(), after.document()));
        } else if (before.plan() != after.plan()) {
            log.add(cause, ChangeLog.differences(name, before.plan(), after.plan()));
        }
    }

    void close() {
        target.updateAndGet(before -> before.ended().after(before));
        update();
    }

    private List<String> update() {
        List<String> failures = new ArrayList<>();
        updates.run(() -> update(failures));
        return failures;
    }

    private void update(List<String> failures) {
        WantedSettings wanted = target();
        WantedSettings replaced = applied;
        if (environment.guarded(failures, () -> apply(wanted))) {
            applied = wanted;
            ConfigEvent event = wanted.told(name, replaced);
            if (event != null) {
                environment.events().tell(event);
            }
        } else {
            WantedSettings last = before(wanted);
            if (last.equals(wanted)) {
                // What fails again stays as it is, instead of being tried for ever.
                applied = replaced.at(wanted.revision());
            } else if (target.compareAndSet(wanted, last.after(wanted))) {
                Hand failed = wanted.override();
                if (failed != null && last.override() == null) {
                    String why = "cannot be put in force: " + failures.get(failures.size() - 1);
                    log.add(new Cause(Writer.OVERRIDE, "", failed.given().who(), why), List.of());
                    environment.refused(WantedSettings.BY_HAND, name, why);
                }
                updates.again();
            }
        }
    }

    /* A default that cannot be brought in force is forgotten with the rest. */
    private WantedSettings before(WantedSettings failed) {
        WantedSettings last = applied;
        Hand hand = last.override();
        boolean isSameHand = hand == null ? failed.override() == null : Hand.isOf(hand.given(), failed.override());
        boolean isDefault = failed.document() == last.document() && isSameHand;
        return new WantedSettings(
                isDefault ? last.declared() : failed.declared(),
                failed.caps(),
                environment.within(failed.caps(), last.document()),
                last.version(),
                failed.orphan(),
                isSameHand && hand != null && environment.within(failed.caps(), hand.plan()) != null ? hand : null,
                failed.closed(),
                failed.revision());
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
            applyLocal(wanted.caps().within(plan));
        } else {
            applyStored(plan, setup);
            leaveLocal();
        }
    }

    private void applyStored(LimitPlan plan, Setup wanted) {
        StoreLimiter answering;
        if (inForce.backend() instanceof Backend.Stored present
                && present.setup().isLike(wanted)) {
            answering = present.limiter();
            if (!present.setup().spec().equals(wanted.spec())) {
                answering.reconfigure(wanted.spec());
            }
        } else {
            answering = environment.store().limiter(name, wanted);
            if (answering instanceof StoreRateLimiter source) {
                Supplier<StoreStatus> status = source::status;
                environment.observers().add(answering, observer -> observer.onStoreLimiter(name, status));
            }
        }
        publish(new Backend.Stored(answering, wanted, gate), KeyRule.of(plan));
    }

    private void applyLocal(LimitPlan plan) {
        LocalLimit mine = local;
        if (mine == null) {
            mine = new LocalLimit(plan, environment, log);
            local = mine;
            gate.suspend(mine.limiter());
        }
        publish(mine.apply(plan), KeyRule.of(plan));
        mine.adapt(plan);
        resize(plan.find(LimitPlan.EXECUTOR));
    }

    private void leaveLocal() {
        LocalLimit mine = local;
        if (mine != null) {
            mine.leave();
        }
    }

    private void publish(Backend next, @Nullable KeyRule keys) {
        Backend before = inForce.backend();
        KeyRule last = inForce.keys();
        inForce = new Answering(name, next, next.keys(Objects.equals(last, keys) ? last : keys));
        direct.accept(next instanceof Backend.Local mine && mine.isAlone() ? mine.limiter() : null);
        if (before.isReplacedBy(next) && !(next instanceof Backend.Nothing)) {
            arrivals.move();
        }
        if (before instanceof Backend.Stored replaced && replaced.isReplacedBy(next)) {
            environment.observers().remove(replaced.limiter());
            // What it has taken from the store and not granted returns there.
            environment.guarded(replaced.limiter()::close);
        }
    }

    private void shutDown() {
        OwnExecutor own = executor.get();
        if (own != null) {
            environment.guarded(own.all::shutdown);
        }
        TaskCounts counts = tasks.get();
        if (counts != null) {
            environment.observers().remove(counts);
        }
        gate.close();
        LocalLimit mine = local;
        if (mine != null) {
            mine.close();
        }
    }

    /** The executor over the threads that the settings describe, which its users cannot end; throws if they describe none. */
    public LimitedExecutor executor() {
        OwnExecutor present = executor.get();
        if (present != null) {
            return present.view;
        }
        LimitPlan plan = target().plan();
        LimitPlan.Pool wanted = plan == null ? null : plan.find(LimitPlan.EXECUTOR);
        if (wanted == null) {
            throw new IllegalStateException(
                    "the limit " + name + " must have a section 'executor', or be given an executor to wrap");
        }
        ResizableThreadPool threads = ResizableThreadPool.of(
                wanted.core(), wanted.max(), wanted.queueCapacity(), Executors.defaultThreadFactory());
        LimitedExecutor all = over(threads, Request.ONE).owningDelegate().build();
        OwnExecutor created = new OwnExecutor(
                threads,
                all,
                all.keptOpen("the executor of the limit " + name
                        + " must not be shut down by its users: it ends with its registry"));
        if (!executor.compareAndSet(null, created)) {
            all.shutdown();
            return Objects.requireNonNull(executor.get()).view;
        }
        update();
        if (target().closed()) {
            all.shutdown();
        }
        return created.view;
    }

    /** An executor over this one, under the limit; throws if the request of its tasks lacks the key that this counts by. */
    public LimitedExecutor executor(Executor delegate, Request each) {
        return over(delegate, each).build();
    }

    private LimitedExecutor.Builder over(Executor delegate, Request each) {
        if (inForce().refusesKeyOf(each)) {
            throw new IllegalStateException(
                    "the limit " + name + " counts by key: its executor must be given the request "
                            + "of its tasks with that key, to executor(name, delegate, request)");
        }
        return LimitedExecutor.builder(delegate, new FollowingQueue(this), this::maxWait)
                .request(each)
                .maxWaitOfQueue()
                .countingIn(counts());
    }

    private TaskCounts counts() {
        TaskCounts present = tasks.get();
        if (present == null) {
            TaskCounts created = new TaskCounts();
            if (tasks.compareAndSet(null, created) && !target().closed()) {
                Supplier<ExecutorLedger> ledger = created::ledger;
                environment.observers().add(created, observer -> observer.onExecutor(name, ledger));
            }
            present = Objects.requireNonNull(tasks.get());
        }
        return present;
    }

    private void resize(LimitPlan.@Nullable Pool wanted) {
        OwnExecutor own = executor.get();
        if (own == null || wanted == null || wanted.equals(resized)) {
            return;
        }
        own.threads.resize(wanted.core(), wanted.max());
        own.threads.resizeQueue(wanted.queueCapacity());
        own.threads.setKeepAlive(wanted.keepAlive());
        resized = wanted;
    }
}
