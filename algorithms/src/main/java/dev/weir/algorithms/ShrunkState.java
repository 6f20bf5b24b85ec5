package dev.weir.algorithms;

/** The state of a {@link RateBucket} that became smaller than the number of permits that were missing from it. */
final class ShrunkState extends BucketState {
    /*
     * Begins empty, because more was missing than a smaller bucket holds. The rest, `beyond`, delays no request, but it is
     * used: it counts again when the bucket becomes larger. It refills while nothing else is missing. The thread that takes
     * the first permit after that writes it. A delayed thread may write an earlier, larger value.
     */
    volatile long beyond;

    ShrunkState(BucketParameters parameters, long spent, long beyond) {
        super(parameters, spent);
        this.beyond = beyond;
    }

    long beyond(long before, long arrived) {
        return Math.max(0, beyond - Math.max(0, arrived - before));
    }

    @Override
    long used(long before, long elapsed) {
        if (isAllRefilled(elapsed)) {
            return missing(before, elapsed);
        }
        long arrived = elapsed < 0 ? 0 : parameters.arithmetic.arrived(elapsed);
        return missing(before, elapsed) + beyond(before, arrived);
    }
}
