package dev.weir.adaptive.signal;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import dev.weir.internal.Durations;
import java.time.Duration;
import java.util.Objects;

/** The signal of {@link Signals#smoothed}, with the source of the other. One thread at a time reads. */
final class Smoothed implements Signal, Sourced {
    private final Signal signal;
    private final double settleNanos;
    private final Ticker ticker;
    private double value = Double.NaN;
    private long at;

    Smoothed(Signal signal, Duration within, Ticker ticker) {
        this.signal = Objects.requireNonNull(signal, "signal");
        this.settleNanos = Durations.nanos("within", within);
        this.ticker = Objects.requireNonNull(ticker, "ticker");
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
