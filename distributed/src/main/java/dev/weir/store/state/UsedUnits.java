package dev.weir.store.state;

/**
 * The units of another rate that a state has used.
 *
 * @param units at most 2^52
 * @param counted those of them that are not overdrawn
 */
record UsedUnits(long units, long counted) {
    /* A part of a permit is rounded up by more than a double loses, with the operations of the scripts in their order: a store that
    is a script and one that is Java convert a state into the same bytes. */
    private static final double UP = 1 + 0x1p-50;

    /** @param cost units of a permit of the other rate */
    static UsedUnits of(State state, long cost, long now) {
        long[] numbers = state.numbers();
        long[] parameters = state.parameters();
        if (state.isCountedByElements()) {
            return of(SlidingCounts.of(state, now).used(), 1, 0, cost);
        }
        long elapsed = state.elapsed(now);
        int rate = state.rule() == StateRule.EVEN ? tightest(state, elapsed) : 0;
        int first = rate * StateRule.EVEN.numbers;
        int parameter = rate * StateRule.EVEN.parameters;
        long leak = parameters[parameter + State.LEAK];
        long units = Units.drained(numbers[first + State.UNITS], leak, elapsed);
        long size = numbers[first + State.CEILING];
        if (state.rule() == StateRule.EVEN && size == 0) {
            size = parameters[parameter + EvenRate.CAP];
        }
        return of(units, parameters[parameter + State.COST], size, cost);
    }

    /** The index of the rate of which the most permits are used. */
    private static int tightest(State state, long elapsed) {
        int tightest = 0;
        double most = 0;
        for (int i = 0; i * StateRule.EVEN.parameters < state.parameters().length; i++) {
            long leak = state.parameters()[i * StateRule.EVEN.parameters + State.LEAK];
            long cost = state.parameters()[i * StateRule.EVEN.parameters + State.COST];
            double permits =
                    (double) Units.drained(state.numbers()[i * StateRule.EVEN.numbers + State.UNITS], leak, elapsed)
                            / cost;
            if (permits > most) {
                most = permits;
                tightest = i;
            }
        }
        return tightest;
    }

    private static UsedUnits of(long units, long own, long size, long cost) {
        long converted = converted(units, own, cost);
        long counted = size > 0 ? converted(size, own, cost) : Units.MOST;
        return new UsedUnits(converted, Math.min(converted, counted));
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
