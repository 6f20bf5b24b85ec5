package dev.weir.store.state;

/**
 * What is used by a state, in the units of another rate.
 *
 * @param units at most 2^52
 * @param counted those of them that are not overdrawn
 */
record Used(long units, long counted) {
    /* A part of a permit is rounded up by more than a double loses, with the operations of the scripts in their order: a store that
    is a script and one that is Java convert a state into the same bytes. */
    private static final double UP = 1 + 0x1p-50;

    /** @param cost units of a permit of the other rate */
    static Used of(State state, long cost, long now) {
        long[] numbers = state.numbers();
        long[] parameters = state.parameters();
        if (state.isCountedByElements()) {
            long used = state.rule() == Rule.WINDOW
                    ? Blocks.of(state, now).used()
                    : Entries.of(state, now).used();
            return of(used, 1, 0, cost);
        }
        long elapsed = state.elapsed(now);
        int rate = state.rule() == Rule.EVEN ? tightest(state, elapsed) : 0;
        int first = rate * Rule.EVEN.numbers;
        int parameter = rate * Rule.EVEN.parameters;
        long leak = parameters[parameter + State.LEAK];
        long units = Units.drained(numbers[first + State.UNITS], leak, elapsed);
        long size = numbers[first + State.CEILING];
        if (state.rule() == Rule.EVEN && size == 0) {
            size = parameters[parameter + StateRate.Even.CAP];
        }
        return of(units, parameters[parameter + State.COST], size, cost);
    }

    /** The index of the rate of which the most permits are used. */
    private static int tightest(State state, long elapsed) {
        int tightest = 0;
        double most = 0;
        for (int i = 0; i * Rule.EVEN.parameters < state.parameters().length; i++) {
            long leak = state.parameters()[i * Rule.EVEN.parameters + State.LEAK];
            long cost = state.parameters()[i * Rule.EVEN.parameters + State.COST];
            double permits =
                    (double) Units.drained(state.numbers()[i * Rule.EVEN.numbers + State.UNITS], leak, elapsed) / cost;
            if (permits > most) {
                most = permits;
                tightest = i;
            }
        }
        return tightest;
    }

    private static Used of(long units, long own, long size, long cost) {
        long converted = converted(units, own, cost);
        long counted = size > 0 ? converted(size, own, cost) : Units.MOST;
        return new Used(converted, Math.min(converted, counted));
    }

    /** Units of a rate by which a permit is {@code own}, in units of which {@code cost} are a permit. */
    private static long converted(long units, long own, long cost) {
        if (own == cost) {
            return units;
        }
        long whole = units / own;
        double part = Math.ceil((double) (units - whole * own) / own * cost * UP);
        return Math.min(Units.times(whole, cost), Units.MOST - cost) + Math.min((long) part, cost);
    }
}
