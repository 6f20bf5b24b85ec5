package dev.weir.store.state;

/** The rules by which permits are counted, in the order of their number in a state. */
public enum Rule {
    /** Permits that are free again evenly: one rate, or several that grant together. */
    EVEN(6, 3),

    /** An even rate that refuses a key for a time after it asked for too many. */
    BAN(5, 5),

    /** Windows of a fixed length. */
    FIXED(5, 5),

    /** A sliding window that is counted in blocks. */
    WINDOW(5, 5),

    /** A sliding log. */
    LOG(4, 5);

    private static final Rule[] ALL = values();

    /** Of {@link #EVEN}: those of each rate. */
    final int parameters;

    /** Of {@link #EVEN}: those of each rate, without the time. */
    final int numbers;

    Rule(int parameters, int numbers) {
        this.parameters = parameters;
        this.numbers = numbers;
    }

    /** The third byte of a state. */
    public int code() {
        return ordinal() + 1;
    }

    /** The longs of each element after the numbers: of a window its blocks, of a log its entries; 0 = there are none. */
    int element() {
        return switch (this) {
            case WINDOW -> Blocks.LONGS;
            case LOG -> Entries.LONGS;
            default -> 0;
        };
    }

    /** Returns -1 if the code is that of no rule. */
    static int ordinalOf(int code) {
        return code >= 1 && code <= ALL.length ? code - 1 : -1;
    }

    static Rule at(int ordinal) {
        return ALL[ordinal];
    }
}
