package dev.weir.budget;

import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.spi.Traits;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartStrategy;
import org.jspecify.annotations.Nullable;

/** The strategy of a {@link ClientLimit}: it counts what is in flight, and does not limit it. */
interface ClientStrategy extends PartStrategy {
    @Override
    InFlight counter();

    @Override
    default long limit() {
        return counter().limit();
    }

    @Override
    default void setLimit(long limit) {}

    @Override
    default long inFlight() {
        return counter().inFlight();
    }

    @Override
    default Traits traits() {
        return Traits.CONCURRENCY.explaining(true);
    }

    @Override
    default @Nullable Quota quota(Request request) {
        return counter().quota(0);
    }

    /**
     * Checks that a number is in a range.
     *
     * @throws IllegalArgumentException if it is not, or is not a number
     */
    static void check(String name, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            throw new IllegalArgumentException(
                    name + " must be >= " + text(min) + " and <= " + text(max) + ", was " + text(value));
        }
    }

    private static String text(double value) {
        boolean isWhole = value == Math.rint(value) && Math.abs(value) < 1e15;
        return isWhole ? Long.toString((long) value) : Double.toString(value);
    }
}
