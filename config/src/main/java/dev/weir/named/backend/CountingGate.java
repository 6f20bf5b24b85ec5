package dev.weir.named.backend;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The limiter of a name as its queue sees it: each request that waits is counted by the key of the rule in force when it is asked
 * for. Thread-safe.
 */
final class CountingGate implements Gate {
    private final ManagedLimiter limiter;
    private final Environment environment;
    private volatile @Nullable KeyRule rule;
    /* Whether the limiter is changed from one key to another: by neither it can be asked. */
    private volatile boolean isChanging;
    private volatile Consumer<@Nullable Request> queue = released -> {};

    CountingGate(ManagedLimiter limiter, Environment environment) {
        this.limiter = limiter;
        this.environment = environment;
    }

    /** The limiter is about to be changed to this rule. One that is the first counts from before the limiter needs its key. */
    void begin(@Nullable KeyRule next) {
        if (rule == null) {
            rule = next;
        } else {
            isChanging = !rule.equals(next) && next != null;
        }
    }

    boolean isChanging() {
        return isChanging;
    }

    /** Counts by this rule from now on, null = by no key, and has those that wait asked for by it. */
    void countBy(@Nullable KeyRule keys) {
        boolean isOther = isChanging || !Objects.equals(rule, keys);
        rule = keys;
        isChanging = false;
        if (isOther) {
            Consumer<@Nullable Request> waiting = queue;
            environment.aside(() -> waiting.accept(null));
        }
    }

    @Override
    public Decision attempt(Request request) {
        return attempt(request, null);
    }

    @Override
    public Decision attempt(Request request, @Nullable Object requestData) {
        if (isChanging) {
            return new Rejection(limiter.name(), Reason.CONCURRENCY, 0, 0);
        }
        KeyRule present = rule;
        Request counted = KeyRule.counted(request, present);
        return counted == null ? KeyRule.withoutKey(limiter.name(), present) : limiter.attempt(counted, requestData);
    }

    @Override
    public @Nullable Object requestData() {
        return limiter.requestData();
    }

    @Override
    public Registration whenCapacity(Runnable wakeUp) {
        return whenReleased(released -> wakeUp.run());
    }

    @Override
    public Registration whenReleased(Consumer<@Nullable Request> wakeUp) {
        queue = wakeUp;
        return limiter.whenReleased(wakeUp);
    }

    /** Null while the key changes: all that wait are asked for again afterwards. */
    @Override
    public @Nullable Object countedBy(Request request) {
        Request counted = isChanging ? null : KeyRule.counted(request, rule);
        return counted == null ? null : limiter.countedBy(counted);
    }

    @Override
    public void refused(Request request, Rejection rejection) {
        limiter.refused(counted(request), rejection);
    }

    @Override
    public double enforced() {
        return limiter.enforced();
    }

    @Override
    public @Nullable Permit letThrough(Request request, @Nullable Object requestData) {
        return isChanging ? null : limiter.letThrough(counted(request), requestData);
    }

    @Override
    public Predicate<Request> grantable() {
        Predicate<Request> present = limiter.grantable();
        return request -> present.test(counted(request));
    }

    @Override
    public boolean holdsUpOthers(Request request, Rejection refused) {
        return limiter.holdsUpOthers(counted(request), refused);
    }

    @Override
    public boolean refusesAlike() {
        return rule == null && limiter.refusesAlike();
    }

    /** The request by the key of the rule in force; the same if it lacks that key. */
    Request counted(Request request) {
        Request counted = KeyRule.counted(request, rule);
        return counted == null ? request : counted;
    }
}
