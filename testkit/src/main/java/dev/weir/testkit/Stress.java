package dev.weir.testkit;

import java.util.Locale;

/**
 * The length of a long test, chosen by the system property {@code weir.stress}: {@code smoke} (the default), {@code short} or
 * {@code long}. What costs processor time takes {@link #seconds} of it; what else has a size, such as a number of processes, takes
 * one {@link #of} three. Thread-safe; no method blocks.
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
     * The processor time of this process, in seconds, that belongs to the length in force.
     *
     * @throws IllegalArgumentException if the property is none of the three
     */
    public static CpuBudget seconds(double smoke, double shorter, double longer) {
        return new CpuBudget(of(smoke, shorter, longer));
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
