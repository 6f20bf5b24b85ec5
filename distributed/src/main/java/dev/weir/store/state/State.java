package dev.weir.store.state;

/**
 * A state that was read, of any rule.
 *
 * @param parameters those of the rate that wrote it: the first two say how many units leak in a microsecond and how many are a permit
 * @param numbers the first is the time of the last change
 * @param elements blocks of a window or entries of a log, as many longs for each as {@link StateRule#element}
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
record State(StateRule rule, long[] parameters, long[] numbers, long[] elements) {
    static final int LEAK = 0;
    static final int COST = 1;
    /** Of windows and logs. */
    static final int LIMIT = 2;

    static final int AT = 0;
    /** Of all but even rates: units of a debt beside a window, or of a ban. */
    static final int UNITS = 1;
    /** The most units with a debt; 0 = there is no debt. */
    static final int CEILING = 2;

    long at() {
        return numbers[AT];
    }

    long elapsed(long now) {
        return Math.max(0, now - at());
    }

    /** True for a window or a log without a debt, whose elements say what is used. */
    boolean isCountedByElements() {
        return rule.element > 0 && numbers[CEILING] == 0;
    }
}
