package dev.weir.micrometer;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** The count of all permits that were released, and the time for which they were held, estimated from a sample. Thread-safe. */
final class ExecutionTime {
    /*
     * A permit that is timed stands for all that were released since the last one that was timed, so the time never falls, and
     * grows with the mean of the sample. `covered` releases are in `nanos`; it only rises, so none is in it twice.
     */
    private final LongAdder released = new LongAdder();
    private final DoubleAdder nanos = new DoubleAdder();
    private final AtomicLong covered = new AtomicLong();

    /** A permit was released that had been held for so long; -1 = not timed. */
    void released(long heldNanos) {
        released.increment();
        if (heldNanos >= 0) {
            long count = released.sum();
            long before = covered.getAndAccumulate(count, Math::max);
            nanos.add((double) heldNanos * Math.max(0, count - before));
        }
    }

    long count() {
        return released.sum();
    }

    double totalNanos() {
        return nanos.sum();
    }
}
