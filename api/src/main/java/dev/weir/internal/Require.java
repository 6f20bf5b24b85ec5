package dev.weir.internal;

/** A requirement of an argument that a user passes. */
public final class Require {
    private Require() {}

    /**
     * Checks a rule, such as {@code "limit must be >= 1"}.
     *
     * @throws IllegalArgumentException if it does not hold, with the rule and the value
     */
    public static void that(boolean holds, String rule, Object value) {
        if (!holds) {
            throw new IllegalArgumentException(rule + ", was " + value);
        }
    }
}
