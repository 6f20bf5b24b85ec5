package dev.weir.distributed;

import java.time.Duration;
import java.util.Objects;

/** Checks of arguments. */
final class Checks {
    private Checks() {}

    static void positive(String name, Duration value) {
        Objects.requireNonNull(value, name);
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be > 0, was " + value);
        }
    }
}
