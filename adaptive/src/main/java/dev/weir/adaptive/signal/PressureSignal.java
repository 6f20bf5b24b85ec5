package dev.weir.adaptive.signal;

import dev.weir.adaptive.Signal;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The signal of {@link Signals#pressure()}: of the whole host, not of a container. Thread-safe. */
final class PressureSignal implements Signal, Sourced {
    private static final Pattern AVERAGE = Pattern.compile("some avg10=(\\d+(?:[.]\\d+)?) ");
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
        Matcher some = AVERAGE.matcher(text);
        double percent = some.lookingAt() ? Double.parseDouble(some.group(1)) : Double.NaN;
        return percent <= 100 ? percent / 100 : Double.NaN;
    }
}
