package dev.weir;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A granted permit. Release it exactly once, when the work has ended. Releasing never blocks and is safe from any thread,
 * also after the limiter was changed or closed: a permit is released to the strategy that granted it.
 *
 * <p>The permit of a concurrency limit, also of one that is not fully enforced, every permit that was granted through a
 * queue, and that of a {@linkplain Request#refundable refundable} or {@linkplain Request#settled settled} request is an object of
 * its own: its first release counts, later ones do nothing and are counted. The permit of any other request to a rate limit,
 * acquired without a queue, holds nothing: every release is accepted and none has an effect. This does not depend on whether
 * the limiter has observers. What is refunded, {@link Outcome#CANCELLED} says.
 *
 * <p>This is a class, not an interface, because {@code decision instanceof Permit} is one comparison for a class.
 */
public abstract non-sealed class Permit implements Decision, AutoCloseable {
    /** For the engine that makes it. */
    protected Permit() {}

    /**
     * Releases the permit: the limit may grant it again, and waiting requests are woken. Never blocks.
     *
     * @param outcome how the work ended
     * @return false if the permit is an object of its own and was released before; this call is counted and does nothing
     * @throws NullPointerException if {@code outcome} is null; the permit is still held then
     */
    public abstract boolean release(Outcome outcome);

    /**
     * Releases the permit of work that threw, with the outcome that the limiter's classifier gives for it:
     * {@link Outcome#of} unless it was built with another. Only the first release counts.
     *
     * @return false if the permit was released before; this call does nothing then
     * @throws NullPointerException if {@code thrown} is null; the permit is still held then
     */
    public boolean releaseAfter(Throwable thrown) {
        Objects.requireNonNull(thrown, "thrown");
        Outcome outcome;
        try {
            outcome = Outcome.of(thrown);
        } catch (Throwable unreadable) {
            outcome = Outcome.IGNORED; // what the exception says of itself must not keep the permit
        }
        return release(outcome);
    }

    /**
     * Tells what the work has cost in place of the {@linkplain Request#cost estimate}, once: before the release or in place of it.
     * At each limit by cost that granted this permit, what is less than the estimate is refunded, as far as it has not refilled
     * since, and waiting requests are woken; what is more is charged to the limit in force now, as by {@link Limiter#charge}. Permits
     * that a concurrency limit holds are held until the release. After this, a release as {@link Outcome#CANCELLED} refunds nothing.
     *
     * <p>Never blocks. Safe from any thread, also after the limiter was changed or closed. A cost that is never told stays as it was
     * estimated.
     *
     * @param actual what the work has cost, in the unit of the estimate; 0 = nothing
     * @return false if nothing was settled: the request had no cost, no limit by cost granted it, or the permit was settled or
     *     released before, which is counted
     * @throws IllegalArgumentException if {@code actual < 0}; the permit can still be settled then
     */
    public boolean settle(long actual) {
        if (actual < 0) {
            throw new IllegalArgumentException("actual must be >= 0, was " + actual);
        }
        return false;
    }

    /**
     * The figures of the limit just after this permit was granted, for a response header; null if they were not found out with the
     * decision. Of several limits, all figures are of the one that left the fewest permits. A limiter that asks another
     * machine knows it; one in this process is asked: {@link dev.weir.engine.ManagedLimiter#quota}.
     */
    public @Nullable Quota quota() {
        return null;
    }

    /** Releases the permit as {@link Outcome#IGNORED}; does nothing if it was released before. */
    @Override
    public void close() {
        release(Outcome.IGNORED);
    }

    /**
     * The figures of a limit at one instant: just after a decision, or when it was asked for them.
     *
     * @param limit the limit, in the unit of the strategy
     * @param remaining permits that other requests could get now, all together; more than {@code limit} where a burst is larger
     * @param resetNanos nanoseconds until the limit is unused again if nothing more is granted; 0 for a concurrency limit
     * @param windowNanos nanoseconds in which {@code limit} permits may be used; 0 for a concurrency limit, or if not known
     */
    public record Quota(long limit, long remaining, long resetNanos, long windowNanos) {
        /** @throws IllegalArgumentException if a number is negative */
        public Quota {
            if (limit < 0 || remaining < 0 || resetNanos < 0 || windowNanos < 0) {
                throw new IllegalArgumentException("limit, remaining, resetNanos and windowNanos must be >= 0, were "
                        + limit + ", " + remaining + ", " + resetNanos + " and " + windowNanos);
            }
        }

        /** Figures of which the window is not known. */
        public Quota(long limit, long remaining, long resetNanos) {
            this(limit, remaining, resetNanos, 0);
        }
    }
}
