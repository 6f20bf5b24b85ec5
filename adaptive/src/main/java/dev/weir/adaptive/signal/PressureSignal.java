package dev.weir.adaptive.signal;

import dev.weir.adaptive.Signal;
import java.nio.file.Path;
import java.util.Objects;

/** The signal of {@link Signals#pressure()}: of the whole host, not of a container. Thread-safe. */
final class PressureSignal implements Signal, Sourced {
    private static final String KEY = "some avg10=";
    private static final double HOST = 0.5;

    private final Path file;
    private volatile SignalSource source = SignalSource.NONE;

    PressureSignal(Path root) {
        this.file = Objects.requireNonNull(root, "root").resolve("proc/pressure/cpu");
    }

    @Override
    public String name() {
        return "pressure";
    }

    @Override
    public SignalSource source() {
        return source;
    }

    @Override
    public double read() {
        String text = TextFile.read(file);
        double share = text == null ? Double.NaN : parsed(text);
        source = Double.isNaN(share) ? SignalSource.NONE : new SignalSource("host pressure", HOST);
        return share;
    }

    private static double parsed(String text) {
        int from = text.indexOf(KEY) + KEY.length();
        int to = text.indexOf(' ', from);
        if (!text.startsWith(KEY) || to < 0) {
            return Double.NaN;
        }
        try {
            double percent = Double.parseDouble(text.substring(from, to));
            return percent >= 0 && percent <= 100 ? percent / 100 : Double.NaN;
        } catch (NumberFormatException garbage) {
            return Double.NaN;
        }
    }
}
