package dev.weir.adaptive.signal;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The signal of {@link Signals#cpu()}. One thread at a time reads; any may ask for the source. */
final class CpuSignal implements Signal, Sourced {
    private static final double OWN_USE = 0.8;
    private static final double PROCESS = 0.7;
    private static final double HOST = 0.4;

    private record Limited(CpuGroup group, CounterRate use) {}

    private final Path root;
    private final Ticker ticker;
    private final LongSupplier processTime;
    private final IntSupplier processors;
    private final DoubleSupplier host;
    private final CounterRate ownUse = new CounterRate();
    private @Nullable List<Limited> groups;
    private volatile SignalSource source = SignalSource.NONE;

    CpuSignal(Path root, Ticker ticker) {
        this(root, ticker, processTime(), Runtime.getRuntime()::availableProcessors, new Host()::cpu);
    }

    CpuSignal(Path root, Ticker ticker, LongSupplier processTime, IntSupplier processors, DoubleSupplier host) {
        this.root = Objects.requireNonNull(root, "root");
        this.ticker = Objects.requireNonNull(ticker, "ticker");
        this.processTime = processTime;
        this.processors = processors;
        this.host = host;
    }

    private static LongSupplier processTime() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean bean
                ? bean::getProcessCpuTime
                : () -> -1;
    }

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public SignalSource source() {
        return source;
    }

    @Override
    public double read() {
        long now = ticker.read();
        long time = processTime.getAsLong();
        double own = ownUse.perNano(time, now);
        int available = processors.getAsInt();
        SignalSource found = SignalSource.NONE;
        double load = Double.NaN;
        if (groups == null) {
            groups = CpuGroup.of(root).stream()
                    .map(group -> new Limited(group, new CounterRate()))
                    .toList();
        }
        for (Limited limited : groups) {
            double cores = limited.group.cores();
            if (!(cores <= available)) {
                continue;
            }
            long used = limited.group.used();
            double share = (used < 0 ? own : limited.use.perNano(used, now)) / cores;
            if (Double.isNaN(load) || share > load) {
                load = share;
                found = quota(limited.group, used < 0);
            }
        }
        if (found == SignalSource.NONE && time >= 0) {
            found = new SignalSource("process", PROCESS);
            load = own / available;
        } else if (found == SignalSource.NONE) {
            load = host.getAsDouble();
            found = Double.isNaN(load) ? SignalSource.NONE : new SignalSource("host", HOST);
        }
        source = found;
        return load;
    }

    private static SignalSource quota(CpuGroup group, boolean byProcess) {
        String name = "cgroup v" + group.version() + " quota";
        return byProcess ? new SignalSource(name + ", process time", OWN_USE) : new SignalSource(name, 1);
    }
}
