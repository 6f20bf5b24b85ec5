package dev.weir.store.state;

import org.jspecify.annotations.Nullable;

/** The rules by which permits are counted, in the order of their number in a state. */
public enum StateRule {
    /** Permits that are free again evenly: one rate, or several that grant together. */
    EVEN(6, 3, 0),

    /** An even rate that refuses a key for a time after it asked for too many. */
    BAN(5, 5, 0),

    /** Windows of a fixed length. */
    FIXED(5, 5, 0),

    /** A sliding window that is counted in blocks. */
    WINDOW(5, 5, Blocks.LONGS),

    /** A sliding log. */
    LOG(4, 5, Entries.LONGS);

    private static final StateRule[] ALL = values();

    /** Of {@link #EVEN}: those of each rate. */
    final int parameters;

    /** Of {@link #EVEN}: those of each rate, without the time. */
    final int numbers;

    /** The longs of each element after the numbers: of a window its blocks, of a log its entries; 0 = there are none. */
    final int element;

    StateRule(int parameters, int numbers, int element) {
        this.parameters = parameters;
        this.numbers = numbers;
        this.element = element;
    }

    /** The third byte of a state. */
    int code() {
        return ordinal() + 1;
    }

    /** Returns null if the code is that of no rule. */
    static @Nullable StateRule of(int code) {
        return code >= 1 && code <= ALL.length ? ALL[code - 1] : null;
    }
}
