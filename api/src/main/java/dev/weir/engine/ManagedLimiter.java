package dev.weir.engine;

import dev.weir.Adjustable;
import dev.weir.Limiter;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Gate;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A limiter as its owner sees it: can be changed, observed and closed while it runs. Thread-safe. Changes are made one after
 * the other: each method that changes the limiter, observes it or closes it waits while another change is under way, which
 * includes the code of a {@link StrategySpec}. None waits for permits to be released. Requests that come while a strategy is
 * being replaced wait until it is. What observers and listeners throw is ignored and counted.
 */
public interface ManagedLimiter extends Limiter, LimiterView, Gate, AutoCloseable {
    @Override
    default Registration whenCapacity(Runnable wakeUp) {
        Objects.requireNonNull(wakeUp, "wakeUp");
        return whenReleased(released -> wakeUp.run());
    }

    @Override
    Registration whenReleased(Consumer<@Nullable Request> wakeUp);

    /**
     * A dial: sets the limit of the strategy in force now. It is stale, and {@code setLimit} does nothing, once that strategy
     * has been replaced by another one. Another limit wakes waiting requests, also a lower one.
     */
    Adjustable dial();

    /**
     * Claims the dial for one owner, such as a controller, until the registration is closed. A claim only prevents other
     * claims: {@link #dial()} still sets the limit for everyone. The owner sets it by {@link #dial(Registration)}.
     *
     * @param owner the name of the owner, for the message of the exception that the next claim gets
     * @throws IllegalStateException if the dial is claimed already
     */
    Registration claimDial(String owner);

    /**
     * The dial of the owner of this claim. It is also stale once the claim is closed: when {@code close} has returned, no limit
     * that the owner calculated before is set any more.
     *
     * @param claim from {@link #claimDial} of this limiter
     * @throws IllegalArgumentException if the claim is not one to the dial of this limiter
     */
    Adjustable dial(Registration claim);

    /**
     * Puts another specification in force: the strategy is adjusted in place if it can be, otherwise replaced. Permits that
     * are held stay valid and are released to the strategy that granted them. What was consumed stays consumed. Does nothing
     * if the specification equals the present one.
     *
     * @throws IllegalStateException after {@link #close}, or if the present specification does not allow the other,
     *     such as one that a share of a quota sets
     */
    void reconfigure(StrategySpec spec);

    /**
     * Sets the share of the limit that is enforced: of the requests over the limit, this share is refused and the others are
     * let through. 1 refuses all of them, which is the default. 0 is a dry run: all are let through and only counted. A
     * permit that was let through holds nothing.
     *
     * @param share 0 to 1
     * @throws IllegalArgumentException if {@code share} is not within 0 and 1
     */
    void enforce(double share);

    /** Permits granted and not released, also by strategies that were replaced; those of a rate are never in flight. */
    long inFlight();

    /**
     * Permits that requests for one permit would get now, for a log: {@link #quota} tells more. Another request may take them at any
     * time.
     *
     * @return -1 if the strategy does not know
     */
    default long remaining() {
        Permit.Quota quota = quota(Request.ONE);
        return quota == null ? -1 : quota.remaining();
    }

    /**
     * The limit, what is left of it, its window and its reset for this request, without spending anything and without waiting. Of
     * a limit by key, the figures are those of the key; a key that is not known has the full limit, and to ask does not make it
     * known. Of several limits, all figures are of the one that leaves the fewest permits. Another request may take what is left at
     * any time.
     *
     * @return null if the strategy does not know, if the limit is by key and the request has none, and after {@link #close}
     */
    @Override
    Permit.@Nullable Quota quota(Request request);

    /** The ticker of this limiter. Queues before it and adaptive controls of it must use the same one. */
    Ticker ticker();

    /** True if a granted permit counts as in flight until it is released, as of a concurrency limit; false for a rate. */
    boolean holds();

    /**
     * For how many nanoseconds each permit has been held that is {@linkplain LimiterObserver#timesNext timed} and not
     * released, in no order. Empty for a rate.
     */
    long[] timedAges();

    /**
     * Tracks one permit in {@code oneIn} of those that are granted from now on, as {@link Limiters.Builder#trackPermits} does. What
     * is tracked already stays so until it is released.
     *
     * @param oneIn at least 1; 0 = none
     * @throws IllegalArgumentException if {@code oneIn < 0}
     */
    void trackPermits(int oneIn);

    /**
     * The {@linkplain Limiters.Builder#trackPermits tracked} permits that have been held for longer than this, oldest first.
     * They are reported only, never released.
     */
    List<LongHeldPermit> heldLongerThan(Duration age);

    /**
     * Refuses all requests from now on, as {@code CANCELLED}. Permits that are held stay valid. Closing again does nothing.
     * Waits for a change that is under way, never for permits.
     */
    @Override
    void close();

    /**
     * A tracked permit that is still held: the entry of a leak report.
     *
     * @param heldNanos for how many nanoseconds it has been held
     * @param thread the name of the thread that acquired it
     * @param acquiredAt the stack of that thread when it acquired the permit
     */
    record LongHeldPermit(long heldNanos, String thread, List<StackTraceElement> acquiredAt) {}
}
