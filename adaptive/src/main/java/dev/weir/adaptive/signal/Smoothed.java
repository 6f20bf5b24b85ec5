package dev.weir.adaptive.signal;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import dev.weir.internal.Durations;
import java.time.Duration;
import java.util.Objects;

/**
 * A signal around another that smooths its readings exponentially by elapsed time, in the unit and the range of the other. NaN
 * where the reading of the other is not finite; the smoothed value then stays as it is.
 *
 * <p>It sees containers as far as the other signal does, and has its name and its source. It adds about 0.3 us to a reading.
 * One thread at a time reads. {@link Signals#smoothed(Signal, Duration)} has the formula.
 */
final class Smoothed implements Signal, Sourced {
    private final Signal signal;
    private final double settleNanos;
    private final Ticker ticker;
    private double value = Double.NaN;
    private long at;

    private Smoothed(Signal signal, long settleNanos, Ticker ticker) {
        this.signal = signal;
        this.settleNanos = settleNanos;
        this.ticker = ticker;
    }

    static Smoothed settling(Signal signal, Duration within, Ticker ticker) {
        return new Smoothed(
                Objects.requireNonNull(signal, "signal"),
                Durations.nanos("within", within),
                Objects.requireNonNull(ticker, "ticker"));
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
        long now = ticker.read();
        double kept = Double.isNaN(value) ? 0 : StrictMath.pow(10, -Math.max(0, now - at) / settleNanos);
        value = kept == 0 ? reading : kept * value + (1 - kept) * reading;
        at = now;
        return value;
    }
}
