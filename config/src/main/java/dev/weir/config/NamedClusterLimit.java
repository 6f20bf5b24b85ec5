package dev.weir.config;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.config.ClusterStore.Setup;
import dev.weir.config.document.LimitPlan;
import dev.weir.distributed.ClusterLimiter;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One named limit of a registry that a store counts. The limiter behind it may be replaced. Thread-safe. */
final class NamedClusterLimit implements ClusterLimiter {
    /*
     * `target` is what should be in force; `updates` brings the limiter there, one thread at a time. If that fails, the plan
     * that was in force before is put into the target again, if nobody has changed it meanwhile.
     */
    private final String name;
    private final ClusterStore store;
    private final Environment environment;
    private final AtomicReference<Target> target;
    private final SerialWork updates = new SerialWork();
    /* Written before the old limiter is closed: a request that is refused CANCELLED reads it again. */
    private volatile Active active;
    private @Nullable LimitPlan lastGood;

    /**
     * The target of a name: the default that code declares, and the plan of the document.
     *
     * @param declared the default that code declares; null = none
     * @param plan what the document says; null = nothing
     */
    record Target(@Nullable Setup declared, @Nullable LimitPlan plan, boolean closed) {
        /** With another plan; without a plan and a default, it goes. */
        Target with(@Nullable LimitPlan other) {
            return new Target(declared, other, closed || (other == null && declared == null));
        }
    }

    /** The limiter in force. */
    private record Active(ClusterLimiter limiter, Setup setup) {}

    /**
     * @throws IllegalArgumentException if the store cannot count such a limit
     */
    NamedClusterLimit(String name, Target target, ClusterStore store, Environment environment) {
        this.name = name;
        this.store = store;
        this.environment = environment;
        this.target = new AtomicReference<>(target);
        active = made(setup(target));
        lastGood = target.plan;
    }

    private Setup setup(Target wanted) {
        LimitPlan plan = wanted.plan;
        return plan == null
                ? Objects.requireNonNull(wanted.declared)
                : store.setup(plan.spec(), Objects.requireNonNull(plan.cluster()));
    }

    private Active made(Setup setup) {
        ClusterLimiter limiter = store.store().limiter(name, setup.spec(), setup.mode(), setup.whenAway());
        return new Active(Objects.requireNonNull(limiter, "limiter"), setup);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public StrategySpec spec() {
        return active.limiter.spec();
    }

    @Override
    public void reconfigure(StrategySpec spec) {
        active.limiter.reconfigure(spec);
    }

    @Override
    public void close() {
        active.limiter.close();
    }

    Target target() {
        return Objects.requireNonNull(target.get());
    }

    List<String> dimensions() {
        LimitPlan plan = target().plan;
        return plan == null ? List.of() : plan.dimensions();
    }

    /** Changes what should be in force, and puts it in force; returns what failed, unless another thread does it. */
    List<String> change(UnaryOperator<Target> how) {
        target.updateAndGet(how);
        List<String> failures = new ArrayList<>();
        updates.run(() -> update(failures));
        return failures;
    }

    /** Refuses all requests from now on, whatever the document says later. */
    void end() {
        change(before -> new Target(before.declared, before.plan, true));
    }

    private void update(List<String> failures) {
        Target wanted = target();
        if (wanted.closed) {
            environment.guarded(failures, active.limiter::close);
        } else if (environment.guarded(failures, () -> apply(setup(wanted)))) {
            lastGood = wanted.plan;
        } else if (wanted.plan != lastGood && target.compareAndSet(wanted, wanted.with(lastGood))) {
            updates.again();
        }
    }

    private void apply(Setup wanted) {
        Active present = active;
        if (present.setup.isLike(wanted)) {
            if (!present.setup.spec().equals(wanted.spec())) {
                present.limiter.reconfigure(wanted.spec());
            }
            active = new Active(present.limiter, wanted);
        } else {
            active = made(wanted);
            // What it has taken from the store and not granted returns there.
            environment.guarded(new ArrayList<>(), present.limiter::close);
        }
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        Attempt attempt = new Attempt(request, maxWait);
        CompletableFuture<Decision> answer = attempt.askAsync();
        boolean isFinal = answer.isDone() && !answer.isCompletedExceptionally() && !attempt.isReplaced(answer.join());
        return isFinal ? answer : FollowedRequest.of(answer, attempt);
    }

    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        Attempt attempt = new Attempt(request, maxWait);
        Decision decision = attempt.ask();
        while (attempt.isReplaced(decision)) {
            decision = attempt.ask();
        }
        return decision;
    }

    /** One request, which may ask several limiters, each after the other was replaced. Asked by one thread at a time. */
    private final class Attempt implements FollowedRequest.Attempts {
        private final Request request;
        private final Duration maxWait;
        private final long startedAt = environment.ticker().read();
        private volatile Active asked = active;
        private volatile boolean isFirst = true;

        Attempt(Request request, Duration maxWait) {
            this.request = request;
            this.maxWait = maxWait;
        }

        Decision ask() throws InterruptedException {
            Duration wait = next();
            Request counted = counted(request, asked.setup);
            return counted == null ? withoutKey() : asked.limiter.acquire(counted, wait);
        }

        CompletableFuture<Decision> askAsync() {
            Duration wait = next();
            Request counted = counted(request, asked.setup);
            return counted == null
                    ? CompletableFuture.completedFuture(withoutKey())
                    : asked.limiter.acquireAsync(counted, wait);
        }

        private Duration next() {
            asked = active;
            if (isFirst) {
                isFirst = false;
                return maxWait;
            }
            Duration deadline = Duration.ofNanos(request.deadlineNanos());
            Duration most = maxWait.compareTo(deadline) > 0 ? deadline : maxWait;
            return most.isNegative()
                    ? most
                    : most.minusNanos(environment.ticker().read() - startedAt);
        }

        boolean isReplaced(Decision answer) {
            return answer instanceof Rejection rejection
                    && rejection.reason() == Reason.CANCELLED
                    && asked.limiter != active.limiter;
        }

        @Override
        public @Nullable CompletableFuture<Decision> after(Decision answer) {
            return isReplaced(answer) ? askAsync() : null;
        }
    }

    /** The request as the store counts it; null if it has no key and must have one. */
    private static @Nullable Request counted(Request request, Setup setup) {
        Boolean keyed = setup.keyed();
        Object key = request.key();
        if (keyed == null) {
            return request;
        }
        if (keyed) {
            return key == null || key.equals("") ? null : request;
        }
        return key == null
                ? request
                : new Request(request.permits(), request.priority(), null, request.deadlineNanos());
    }

    private Rejection withoutKey() {
        return new Rejection(name, Reason.NEVER, 0, 0);
    }
}
