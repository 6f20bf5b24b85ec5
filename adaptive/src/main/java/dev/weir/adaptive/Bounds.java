package dev.weir.adaptive;

/**
 * The minimum, the maximum and the largest step of a limit.
 *
 * @param least the minimum, at least 1
 * @param most the maximum, at least the minimum
 * @param step the largest factor by which one update may change the limit, more than 1; a change by 1 is always allowed
 */
public record Bounds(long least, long most, double step) {
    private static final double USUAL_STEP = 4;

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
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

    /**
     * From {@code least} to {@code most}, by a factor of at most 4 at a time.
     *
     * @throws IllegalArgumentException if least is less than 1 or most less than least
     */
    public static Bounds of(long least, long most) {
        return new Bounds(least, most, USUAL_STEP);
    }

    /** The limit nearest to {@code asked} within the bounds and one step of the present limit. */
    public long clamp(long asked, long present) {
        double up = Math.max(present * step, present + 1.0);
        double down = Math.min(Math.ceil(present / step), present - 1.0);
        long reachable = Math.max((long) down, (long) Math.min((double) asked, up));
        return Math.max(least, Math.min(reachable, most));
    }

    /** The limit nearest to {@code asked} within the bounds, without regard to the step. */
    long clamp(long asked) {
        return Math.max(least, Math.min(asked, most));
    }
}
