package dev.weir.testkit;

import java.util.Locale;

/**
 * The size of a long test, chosen by the system property {@code weir.stress}: {@code smoke} (the default),
 * {@code short} or {@code long}. Thread-safe; no method blocks.
 */
public enum Stress {
    /** Seconds: a check in each build that the test works. */
    SMOKE,
    /** Minutes for all such tests together: for continuous integration. */
    SHORT,
    /** Hours: for a nightly build. */
    LONG;

    /**
     * The length in force.
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
     * The argument that belongs to the length in force.
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
