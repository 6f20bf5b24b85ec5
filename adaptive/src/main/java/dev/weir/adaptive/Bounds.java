package dev.weir.adaptive;

/**
 * Between what a limit may move, and how far at a time.
 *
 * @param least the least limit, at least 1
 * @param most the largest one
 * @param step by which factor one update may change the limit at most, more than 1
 */
public record Bounds(long least, long most, double step) {
    private static final double USUAL_STEP = 4;

    /** Checks the components. */
    public Bounds {
        if (least < 1) {
            throw new IllegalArgumentException("least must be >= 1, was " + least);
        }
        if (most < least) {
            throw new IllegalArgumentException("most must be >= " + least + ", was " + most);
        }
        if (!(step > 1)) {
            throw new IllegalArgumentException("step must be > 1, was " + step);
        }
    }

    /** From {@code least} to {@code most}, by a factor of at most four at a time. */
    public static Bounds of(long least, long most) {
        return new Bounds(least, most, USUAL_STEP);
    }

    /** The limit within the bounds that is nearest to the one asked for and not too far from the present one. */
    long clamp(long asked, long present) {
        double up = Math.max(present * step, present + 1.0);
        double down = Math.min(Math.ceil(present / step), present - 1.0);
        long reachable = Math.max((long) down, (long) Math.min((double) asked, up));
        return Math.max(least, Math.min(reachable, most));
    }

    /** The nearest limit within the bounds, however far. */
    long clamp(long asked) {
        return Math.max(least, Math.min(asked, most));
    }
}
