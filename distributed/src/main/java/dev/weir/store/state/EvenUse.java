package dev.weir.store.state;

import org.jspecify.annotations.Nullable;

/**
 * The use of an even rate: its own, which is missing in the bucket, and a debt beside it. A paced rate waits for the first
 * permit only, and a slot that is taken less than one interval late counts as taken on time. Permits that need not come together
 * come one by one. Not thread-safe.
 */
final class EvenUse {
    private final EvenRate rate;
    private final Call call;
    private long missing;
    private long units;
    private long ceiling;

    private EvenUse(EvenRate rate, Call call) {
        this.rate = rate;
        this.call = call;
    }

    /**
     * The use that a state tells.
     *
     * @param first the index of the first number of this rate; -1 = the state is of another one
     */
    static EvenUse of(EvenRate rate, @Nullable State state, int first, Call call) {
        EvenUse use = new EvenUse(rate, call);
        if (state == null) {
            return use;
        }
        if (first >= 0) {
            long elapsed = state.elapsed(call.now());
            use.units = Units.drained(state.numbers()[first], rate.leak(), elapsed);
            use.ceiling = use.units > 0 ? state.numbers()[first + 1] : 0;
            use.missing = Units.drained(state.numbers()[first + 2], rate.leak(), elapsed);
            return use;
        }
        UsedUnits used = UsedUnits.of(state, rate.cost(), call.now());
        use.units = used.units();
        if (use.units <= rate.cap()) {
            use.missing = use.units;
        } else {
            use.ceiling = Math.max(rate.cap(), used.counted());
        }
        return use;
    }

    EvenRate rate() {
        return rate;
    }

    long missing() {
        return missing;
    }

    long units() {
        return units;
    }

    long ceiling() {
        return ceiling;
    }

    long room() {
        long room;
        if (!rate.isPaced()) {
            room = Math.max(0, rate.cap() - missing) / rate.cost();
        } else if (missing > rate.cost()) {
            room = 0;
        } else {
            room = call.kind() == Call.Kind.ACQUIRE_UP_TO ? 1 : rate.largest();
        }
        return ceiling > 0 ? Math.min(room, Math.max(0, ceiling - units) / rate.cost()) : room;
    }

    long reset() {
        return Units.micros(Math.max(missing, units), rate.leak());
    }

    /** Microseconds until there is room for what is wanted. */
    long await() {
        if (call.isOver(rate.largest())) {
            return reset();
        }
        long wanted = Units.times(call.wanted(), rate.cost());
        long over = rate.isPaced() ? missing - rate.cost() : missing + wanted - rate.cap();
        long owed = ceiling > 0 ? units + wanted - ceiling : 0;
        return Units.micros(Math.max(over, owed), rate.leak());
    }

    void take(long permits) {
        if (rate.isPaced() && permits > 0 && missing == 0) {
            missing = rate.cost();
        }
        long more = Units.times(permits, rate.cost());
        missing = Units.added(missing, more);
        units = ceiling > 0 ? Units.added(units, more) : missing;
    }

    Call.Figures figures(long room) {
        return new Call.Figures(room, rate.limit(), reset());
    }
}
