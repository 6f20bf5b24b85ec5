package dev.weir.adaptive.signal;

import dev.weir.adaptive.Signal;
import java.util.Objects;
import java.util.function.DoubleSupplier;

/** Makes signals. */
public final class Signals {
    private Signals() {}

    /** What this function returns, under this name. */
    public static Signal of(String name, DoubleSupplier reading) {
        Objects.requireNonNull(reading, "reading");
        return new Named(Objects.requireNonNull(name, "name"), reading);
    }

    private record Named(String name, DoubleSupplier reading) implements Signal {
        @Override
        public double read() {
            return reading.getAsDouble();
        }
    }
}
