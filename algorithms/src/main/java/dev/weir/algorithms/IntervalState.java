package dev.weir.algorithms;

/** The state of a {@link RateBucket} whose permits arrive in batches. */
sealed class IntervalState extends BucketState {
    /*
     * If permits arrive in batches, the last batch counts as used until a steady rate would have brought it too:
     *
     *     previous beat        last beat - - now
     *     |   lost   |  brought  |     missing     |
     *                lost      arrived           spent
     *
     * The thread that takes the first permit after a batch that filled the bucket knows how much of the batch was lost, and
     * writes it. If no thread has since the last beat, the bucket was not filled and nothing was lost. A delayed thread may
     * write the value of an earlier beat; that is smaller, so more counts as brought.
     */
    volatile long lost;

    IntervalState(BucketParameters parameters, long spent, long lost) {
        super(parameters, spent);
        this.lost = lost;
    }

    /** Writes what the batch that filled the bucket lost. */
    void filled(long before, long arrived) {
        lost = arrived - brought(before, arrived);
    }

    private long brought(long before, long arrived) {
        return Math.max(0, before - (arrived - parameters.arithmetic.batch));
    }

    @Override
    long early(long before, long elapsed) {
        if (elapsed < 0 || isAllRefilled(elapsed)) {
            return 0;
        }
        long arrived = parameters.arithmetic.arrived(elapsed);
        long brought = before < arrived
                ? brought(before, arrived)
                : Math.max(0, Math.min(largestBatch(arrived), arrived - lost));
        long steady = brought == 0 ? 0 : parameters.refilled(elapsed - parameters.arithmetic.lastWhole(elapsed));
        return Math.max(0, brought - steady);
    }

    long largestBatch(long arrived) {
        return parameters.arithmetic.batch;
    }

    /* Begins after a batch larger than its own. A class of its own, because there may be millions of the others. */
    static final class Lowered extends IntervalState {
        private final long began;

        Lowered(BucketParameters parameters, long spent, long lost, long began) {
            super(parameters, spent, lost);
            this.began = began;
        }

        @Override
        long largestBatch(long arrived) {
            return began == arrived ? Long.MAX_VALUE : super.largestBatch(arrived);
        }
    }
}
