package dev.weir.testservers;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for servers. */
final class Await {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private Await() {}

    /**
     * Returns when the condition holds.
     *
     * @throws IllegalStateException after 30 seconds
     */
    static void that(BooleanSupplier condition, Supplier<String> what) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT_NANOS) {
                throw new IllegalStateException("not reached in 30 seconds: " + what.get());
            }
            LockSupport.parkNanos(BETWEEN_NANOS);
        }
    }
}
