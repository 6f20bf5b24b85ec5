package dev.weir;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of one acquire: permits, priority, key, deadline and cost. Immutable: create one for each kind of call and
 * reuse it.
 *
 * @param permits how many permits, at least 1
 * @param priority 0 is the most important, a larger number is less important, never negative
 * @param key the tenant, user or route, for limits by key; null = no key
 * @param deadlineNanos for how many nanoseconds from now an answer is of use to the caller, at least 0;
 *     {@link #NO_DEADLINE} = no deadline
 * @param isRefundable whether {@link Outcome#CANCELLED} refunds what the permit has spent. A refundable request does not equal
 *     one that is not
 */
public record Request(long permits, int priority, @Nullable Object key, long deadlineNanos, boolean isRefundable) {
    /** The value of {@code deadlineNanos} for no deadline. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    /** One permit, priority 0, no key, no deadline. */
    public static final Request ONE = new Request(1, 0, null, NO_DEADLINE);

    /** @throws IllegalArgumentException if {@code permits < 1}, {@code priority < 0} or {@code deadlineNanos < 0} */
    public Request {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be >= 1, was " + permits);
        }
        if (priority < 0) {
            throw new IllegalArgumentException("priority must be >= 0, was " + priority);
        }
        if (deadlineNanos < 0) {
            throw new IllegalArgumentException("deadlineNanos must be >= 0, was " + deadlineNanos);
        }
    }

    /**
     * A request that is not refundable and has no cost.
     *
     * @throws IllegalArgumentException if {@code permits < 1}, {@code priority < 0} or {@code deadlineNanos < 0}
     */
    public Request(long permits, int priority, @Nullable Object key, long deadlineNanos) {
        this(permits, priority, key, deadlineNanos, false);
    }

    /**
     * A request for this many permits with priority 0, without key and deadline.
     *
     * @throws IllegalArgumentException if {@code permits < 1}
     */
    public static Request of(long permits) {
        return permits == 1 ? ONE : new Request(permits, 0, null, NO_DEADLINE);
    }

    /** A request for one permit for a key, with priority 0 and without deadline. */
    public static Request forKey(Object key) {
        return new Request(1, 0, key, NO_DEADLINE);
    }

    /**
     * The same request for another number of permits.
     *
     * @throws IllegalArgumentException if {@code permits < 1}
     */
    public Request withPermits(long permits) {
        return new Request(permits, priority, key, deadlineNanos, isRefundable);
    }

    /**
     * The same request with another priority; 0 is the most important.
     *
     * @throws IllegalArgumentException if {@code priority < 0}
     */
    public Request withPriority(int priority) {
        return new Request(permits, priority, key, deadlineNanos, isRefundable);
    }

    @Override
    public @Nullable Object key() {
        Object given = given();
        return given instanceof SourcedKey made ? made.key() : given;
    }

    /**
     * The source of the key, for code that makes it again while the request waits; null = not known.
     *
     * @see #withKey(Object, Object)
     */
    public @Nullable Object source() {
        return given() instanceof SourcedKey made ? made.source() : null;
    }

    /**
     * A key that knows its source: {@link Request#key()} of a request for it is {@link #key}, and {@link Request#source()} is {@link
     * #source}. For limits that read the source, beside others that read the key. Immutable, with {@code equals} and {@code
     * hashCode}.
     */
    public abstract static class SourcedKey {
        /** Creates a key. */
        protected SourcedKey() {}

        /** The key; null = none. */
        protected abstract @Nullable Object key();

        /** The value that the key was made of. */
        protected abstract Object source();
    }

    /** A key with its source. Equal by the key. */
    private static final class Made extends SourcedKey {
        private final @Nullable Object key;
        private final Object source;

        Made(@Nullable Object key, Object source) {
            this.key = key;
            this.source = source;
        }

        @Override
        protected @Nullable Object key() {
            return key;
        }

        @Override
        protected Object source() {
            return source;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Made made && Objects.equals(key, made.key);
        }

        @Override
        public int hashCode() {
            return Objects.hashCode(key);
        }

        @Override
        public String toString() {
            return String.valueOf(key);
        }
    }

    private @Nullable Object given() {
        return key instanceof Costed costed ? costed.key : key;
    }

    /** A key with the cost of its request: few requests have one, and all others are 8 bytes smaller for that. */
    private record Costed(@Nullable Object key, long cost) {
        @Override
        public String toString() {
            return key + ", cost=" + cost;
        }
    }

    /** The same request for another key, null = no key, which was made of this {@link #source}. */
    public Request withKey(@Nullable Object key, Object source) {
        return withKey(new Made(key, Objects.requireNonNull(source, "source")));
    }

    /** The same request for another key, without a source; null = no key. */
    public Request withKey(@Nullable Object key) {
        Object with = isSettled() ? new Costed(key, cost()) : key;
        return new Request(permits, priority, with, deadlineNanos, isRefundable);
    }

    /**
     * The same request with another deadline, in nanoseconds from the acquire on; {@link #NO_DEADLINE} = no deadline.
     *
     * @throws IllegalArgumentException if {@code deadlineNanos < 0}
     */
    public Request withDeadlineNanos(long deadlineNanos) {
        return new Request(permits, priority, key, deadlineNanos, isRefundable);
    }

    /**
     * The same request, whose release as {@link Outcome#CANCELLED} refunds what it has spent at a rate. Its permit is an object of
     * its own, also where that of another request is shared by all.
     */
    public Request refundable() {
        return isRefundable ? this : new Request(permits, priority, key, deadlineNanos, true);
    }

    /**
     * The same request for work whose cost is known when it has ended. Limits by cost take this estimate, and {@link Permit#settle}
     * corrects it; all others take the permits. The permit is an object of its own.
     *
     * @param estimate what the work will probably cost, in the unit of these limits
     * @throws IllegalArgumentException if {@code estimate < 1}
     */
    public Request settled(long estimate) {
        if (estimate < 1) {
            throw new IllegalArgumentException("estimate must be >= 1, was " + estimate);
        }
        return new Request(permits, priority, new Costed(given(), estimate), deadlineNanos, isRefundable);
    }

    /** The estimate that limits by cost take in place of the permits, and that {@link Permit#settle} corrects; 0 = none. */
    public long cost() {
        return key instanceof Costed costed ? costed.cost : 0;
    }

    /** The amount that it takes of a limit by cost: the cost, or the permits if it has none. */
    public long amount() {
        return key instanceof Costed costed ? costed.cost : permits;
    }

    /** True if it has a {@link #cost}, so that its permit can be settled. */
    public boolean isSettled() {
        return key instanceof Costed;
    }
}
