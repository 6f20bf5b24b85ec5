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
import java.util.concurrent.atomic.AtomicInteger;
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
    /* Whether the limiter is being changed to another key. */
    private volatile boolean isChanging;
    /* Whether that is from one key to another: by neither it can be asked. */
    private volatile boolean isClosed;
    /* Rises after each change of the above. */
    private final AtomicInteger changes = new AtomicInteger();
    private volatile Consumer<@Nullable Request> queue = released -> {};

    CountingGate(ManagedLimiter limiter, Environment environment) {
        this.limiter = limiter;
        this.environment = environment;
    }

    /** The limiter is about to be changed to this rule. One that is the first counts from before the limiter needs its key. */
    void begin(@Nullable KeyRule next) {
        isChanging = next != null && !next.equals(rule);
        isClosed = isChanging && rule != null;
        if (rule == null) {
            rule = next;
        }
        changes.incrementAndGet();
    }

    /** Whether a request may be refused because it was counted by one key and asked for by another. */
    boolean isChanging() {
        return isChanging;
    }

    /** Counts by this rule from now on, null = by no key, and has those that wait asked for by it. */
    void countBy(@Nullable KeyRule keys) {
        boolean isOther = isClosed || !Objects.equals(rule, keys);
        rule = keys;
        isClosed = false;
        changes.incrementAndGet();
        if (isOther) {
            Consumer<@Nullable Request> waiting = queue;
            environment.aside(() -> waiting.accept(null));
        }
    }

    /** The change has ended: the rule is published. */
    void end() {
        isChanging = false;
    }

    @Override
    public Decision attempt(Request request) {
        return attempt(request, null);
    }

    /* Who waits is not refused, but asked again by the key in force, if that came between the two readings of it. */
    @Override
    public Decision attempt(Request request, @Nullable Object requestData) {
        while (!isClosed) {
            int seen = changes.get();
            KeyRule present = rule;
            Request counted = KeyRule.counted(request, present);
            if (counted == null) {
                return KeyRule.withoutKey(limiter.name(), present);
            }
            Decision decision = limiter.attempt(counted, requestData);
            boolean lacksKey = decision instanceof Rejection refused && refused.reason() == Reason.KEY_MISSING;
            if (!lacksKey || changes.get() == seen) {
                return decision;
            }
        }
        return new Rejection(limiter.name(), Reason.CONCURRENCY, 0, 0);
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
        Request counted = isClosed ? null : KeyRule.counted(request, rule);
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
        return isClosed ? null : limiter.letThrough(counted(request), requestData);
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
