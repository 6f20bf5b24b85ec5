package dev.weir.store.lease;

import dev.weir.Ticker;
import dev.weir.internal.Require;
import dev.weir.spi.Alarm;
import dev.weir.store.state.StateStore;
import java.util.Objects;

/**
 * The leases of semaphores in any {@link StateStore}: in PostgreSQL, MariaDB, H2, or your own store. Thread-safe; no method blocks.
 *
 * <p>A semaphore is one value, which each change replaces by compare-and-set. It is about 24 bytes for each lease and 20 to 34 for each
 * holder, and is written as a whole, so hundreds of leases of one semaphore are well, and thousands are slow. It has at most {@value
 * #MOST_LEASES} of all holders; a request beyond that is refused as {@link LeaseReply.Reason#FULL}, also if permits are free.
 *
 * <p>Of one semaphore and holder at most one command is on its way. Calls that wait meanwhile are one replacement: first releases, renewals
 * and charges, then requests. A rejection writes nothing, unless the holder begins to wait or goes on with it. While others replace the
 * value again and again, a stage fails with {@code ContentionException}: nothing was changed then.
 *
 * <p>The leases are as consistent as the store. It cannot notice that it has lost its last replacements, or all of them, by a restart or
 * the promotion of a replica: up to the limit is granted beside what is held by leases that it has lost, whose renewals are refused. A
 * clock of the store that jumps ahead ends leases early, by as much as it jumps. One that goes back does nothing; but after some seconds
 * in which no permit is held and nobody asks, a semaphore is forgotten, and its next token is that of the clock, wherever it is by then.
 * The value of another program, or of an unknown version, is replaced: until one lease has passed, only renewals are accepted.
 *
 * <p>Such a store tells no holder that there is room for it: {@link Leases#listen} does nothing, and the holder finds out when it asks
 * again, which it has to do within {@link Leases#TURN_MICROS}.
 */
public final class StateLeases implements LeaseStore {
    /** The most leases of a semaphore. */
    public static final int MOST_LEASES = LeaseState.MOST_LEASES;

    private final StateStore store;
    private final Ticker ticker;
    private final Alarm alarm;

    private StateLeases(StateStore store, Ticker ticker, Alarm alarm) {
        this.store = Objects.requireNonNull(store, "store");
        this.ticker = Objects.requireNonNull(ticker, "ticker");
        this.alarm = Objects.requireNonNull(alarm, "alarm");
    }

    /**
     * The leases in a store, by the ticker and the alarm of the process.
     *
     * @param store stays open
     */
    public static StateLeases of(StateStore store) {
        return of(store, Ticker.system(), Alarm.system());
    }

    /**
     * The leases in a store.
     *
     * @param store stays open
     * @param ticker tells how long ago the store has answered
     * @param alarm lets other instances have their turn
     */
    public static StateLeases of(StateStore store, Ticker ticker, Alarm alarm) {
        return new StateLeases(store, ticker, alarm);
    }

    @Override
    public Leases leases(String name, String holder) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank");
        }
        String rule = "holder must be 1 to " + LeaseState.LONGEST_HOLDER + " ASCII letters and digits";
        Require.that(LeaseState.isHolder(holder), rule, "\"" + holder + "\"");
        return new ValueLeases(store, name, holder, ticker, alarm);
    }

    /** The store. */
    @Override
    public String toString() {
        return "StateLeases[" + store + "]";
    }
}
