package dev.weir.store.state;

import dev.weir.store.state.StateRate.WindowLimit;
import org.jspecify.annotations.Nullable;

/**
 * What is owed beside a window or a log. It is free again evenly, at the rate of the limit. While the ceiling is not 0, units and what
 * is asked for must not exceed it. A debt is not cut, so specifications can alternate. Not thread-safe.
 */
final class Debt {
    private final WindowLimit limit;
    private final Call call;
    private long units;
    private long ceiling;

    private Debt(WindowLimit limit, Call call) {
        this.limit = limit;
        this.call = call;
    }

    /** The debt beside a window whose limit is the same or another, or what was used under another rule. */
    static Debt beside(WindowLimit limit, @Nullable State state, boolean continues, Call call) {
        Debt debt = new Debt(limit, call);
        if (state == null) {
            return debt;
        }
        Used used = Used.of(state, limit.cost(), call.now());
        debt.units = used.units();
        boolean owed = state.numbers()[State.CEILING] > 0;
        if (debt.units == 0 || (continues && !owed)) {
            return debt;
        }
        boolean same = continues && state.parameters()[State.LIMIT] == limit.permits();
        debt.ceiling = same
                ? state.numbers()[State.CEILING]
                : Math.max(Units.times(limit.permits(), limit.cost()), used.counted());
        return debt;
    }

    long units() {
        return units;
    }

    long ceiling() {
        return ceiling;
    }

    /** At most this many permits. */
    long room(long permits) {
        long room = Math.max(0, limit.permits() - permits);
        return ceiling > 0 ? Math.min(room, Math.max(0, ceiling - units) / limit.cost()) : room;
    }

    /** Microseconds until there is room beside the debt. */
    long await(long permits) {
        return ceiling > 0 ? Units.micros(units + Units.times(permits, limit.cost()) - ceiling, limit.leak()) : 0;
    }

    /** Microseconds until all has leaked. */
    long leaks() {
        return Units.micros(units, limit.leak());
    }

    /** Microseconds until nothing is owed. */
    long reset() {
        return ceiling > 0 ? leaks() : 0;
    }

    /**
     * Adds what a window has taken. Of a limit by cost, what is used beyond the limit is owed, and is paid at the rate also after the
     * window has ended. What is refunded to a debt has leaked for as long as it was held.
     *
     * @param used permits that count in the window
     */
    void add(long permits, long used) {
        long more = Units.times(permits, limit.cost());
        if (permits < 0 && call.kind() == Call.Kind.OVERDRAW && ceiling > 0) {
            long leaked = Units.times(call.held(), limit.leak());
            units = Units.added(units, Math.min(0, more + leaked));
            return;
        }
        units = Units.added(units, more);
        boolean overdraws = call.kind() == Call.Kind.OVERDRAW || call.kind() == Call.Kind.ACQUIRE_ONCE;
        if (overdraws && ceiling == 0 && used > limit.permits()) {
            units = Math.min(Units.MOST, Math.max(units, Units.times(used, limit.cost())));
            long most = Units.times(limit.permits(), limit.cost());
            ceiling = Math.max(most, units - Units.times(used - limit.permits(), limit.cost()));
        }
    }
}
