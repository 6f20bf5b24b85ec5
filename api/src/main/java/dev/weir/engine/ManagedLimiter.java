package dev.weir.engine;

import dev.weir.Adjustable;
import dev.weir.Limiter;
import dev.weir.Ticker;
import dev.weir.spi.Gate;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;

/**
 * The owner's view of a limiter: change it, watch it, end it, all while it runs. Thread-safe. Changes are serial,
 * never wait for permits to come home and never disturb admission; what observers or wake-ups throw is swallowed.
 */
public interface ManagedLimiter extends Limiter, Gate, AutoCloseable {
    /**
     * The dial of the strategy now in force. After a swap to another strategy it is stale: {@code setLimit} does
     * nothing. A raise wakes those who wait.
     */
    Adjustable dial();

    /**
     * Claims the dial for one hand, a controller's, until the registration is closed. {@link #dial} turns it as before:
     * a claim keeps only another claim away.
     *
     * @throws IllegalStateException while another hand holds it
     */
    Registration claimDial(String hand);

    /** The wish last put in force. */
    StrategySpec spec();

    /**
     * Puts another wish in force: adjusted in place where the strategy allows it, else swapped. Permits that are out
     * stay valid and return to the strategy that granted them; what was consumed stays consumed. A spec equal to the
     * present one does nothing at all.
     *
     * @throws IllegalStateException after {@link #close}
     */
    void reconfigure(StrategySpec spec);

    /**
     * Sets how much of the limit is enforced: 1 refuses all that is over (the default), 0 is a dry run that lets all
     * of it through and only counts it, between them that share is refused. What is let through holds nothing.
     *
     * @throws IllegalArgumentException if not within 0 and 1
     */
    void enforce(double share);

    /** Adds an observer until the registration is closed; it still hears the return of permits it heard granted. */
    Registration observe(LimiterObserver observer);

    /** The counts, kept from the first call on and free until then. */
    Counts counts();

    /** Permits granted and not returned; 0 for a rate. Costs one volatile read, as a rule. */
    long inFlight();

    /**
     * Permits that could be granted at this moment, an instant's figure for a response header or a log; another request
     * may take them.
     *
     * @return -1 where the strategy does not know it
     */
    long remaining();

    /** The clock of this limiter: what stands before it or steers it must measure by the same. */
    Ticker ticker();

    /** Whether permits hold what they took until they come home, as those of a concurrency limit do; a rate's do not. */
    boolean holds();

    /**
     * For how many nanoseconds the permits that are out and {@linkplain LimiterObserver#timesNext timed} have been, in no
     * order; none of a rate, whose permits need not come home.
     */
    long[] timedAges();

    /** How it stands now; each figure is exact, the set of them is not one instant. */
    Snapshot snapshot();

    /**
     * Permits that have been out for longer than this, oldest first, among those that are
     * {@linkplain Limiters.Builder#trackPermits tracked}. Reported, never reclaimed.
     */
    List<LongHeldPermit> heldLongerThan(Duration age);

    /** Refuses from now on as {@code CANCELLED}; permits that are out stay valid. Idempotent. */
    @Override
    void close();
}
