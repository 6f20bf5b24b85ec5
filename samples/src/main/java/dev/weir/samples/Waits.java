package dev.weir.samples;

import dev.weir.Ticker;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for an instant or a condition. */
final class Waits {
    /** The time after which something is taken for lost; a starved machine takes some seconds. */
    static final Duration STUCK = Duration.ofMinutes(2);

    private static final Ticker TICKER = Ticker.system();

    private Waits() {}

    /** Returns at this reading of the system's ticker. */
    static void until(long instant) {
        for (long early = instant - TICKER.read(); early > 0; early = instant - TICKER.read()) {
            LockSupport.parkNanos(early);
        }
    }

    /** Returns when the condition holds; false if it does not in two minutes. */
    static boolean await(BooleanSupplier condition) {
        long start = TICKER.read();
        while (!condition.getAsBoolean() && TICKER.read() - start < STUCK.toNanos()) {
            LockSupport.parkNanos(1_000_000);
        }
        return condition.getAsBoolean();
    }
}
