package dev.weir.adaptive.signal;

import dev.weir.adaptive.Signal;
import dev.weir.internal.Require;
import java.util.Objects;

/** The signal of {@link Signals#graded}, with the source of the other. One thread at a time reads. */
final class Hysteresis implements Signal, Sourced {
    private final Signal signal;
    private final double release;
    private final double low;
    private final double high;
    private double grade;

    Hysteresis(Signal signal, double release, double low, double high) {
        Require.that(Double.isFinite(low) && Double.isFinite(high) && low < high, "high must be > " + low, high);
        Require.that(Double.isFinite(release) && release <= low, "release must be <= " + low, release);
        this.signal = Objects.requireNonNull(signal, "signal");
        this.release = release;
        this.low = low;
        this.high = high;
    }

    @Override
    public String name() {
        return signal.name();
    }

    @Override
    public SignalSource source() {
        return signal instanceof Sourced sourced ? sourced.source() : SignalSource.NONE;
    }

    @Override
    public double read() {
        double reading = signal.read();
        if (!Double.isFinite(reading)) {
            return Double.NaN;
        }
        grade = Math.min(Math.max(grade, slope(reading - low)), slope(reading - release));
        return grade;
    }

    private double slope(double above) {
        return Math.max(0, Math.min(1, above / (high - low)));
    }
}
