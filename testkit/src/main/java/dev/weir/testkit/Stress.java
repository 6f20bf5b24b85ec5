package dev.weir.testkit;

import java.util.Locale;

/**
 * How long a proof runs, by the system property {@code weir.stress}: {@code smoke} if it is not set, {@code short} or
 * {@code long}. Thread-safe; never blocks.
 */
public enum Stress {
    /** Long enough to see that the proof itself works: for every build. */
    SMOKE,
    /** Minutes for all proofs together. */
    SHORT,
    /** As long as it takes: for the night. */
    LONG;

    /**
     * The length asked for.
     *
     * @throws IllegalArgumentException if the property is none of the three
     */
    public static Stress asked() {
        String asked = System.getProperty("weir.stress", "smoke");
        for (Stress stress : values()) {
            if (stress.name().toLowerCase(Locale.ROOT).equals(asked)) {
                return stress;
            }
        }
        throw new IllegalArgumentException("weir.stress must be smoke, short or long, was " + asked);
    }

    /**
     * What goes with the length asked for.
     *
     * @throws IllegalArgumentException if the property is none of the three
     */
    public static <T> T of(T smoke, T shorter, T longer) {
        return switch (asked()) {
            case SMOKE -> smoke;
            case SHORT -> shorter;
            case LONG -> longer;
        };
    }
}
