package dev.weir.testservers;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for servers. */
final class Await {
    private static final int ATTEMPTS = 15_000;
    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private Await() {}

    /**
     * Returns when the condition holds.
     *
     * @throws IllegalStateException after five minutes or more
     */
    static void that(BooleanSupplier condition, Supplier<String> what) {
        for (int attempt = 0; !condition.getAsBoolean(); attempt++) {
            if (attempt == ATTEMPTS) {
                throw new IllegalStateException("not reached in five minutes: " + what.get());
            }
            LockSupport.parkNanos(BETWEEN_NANOS);
        }
    }
}
