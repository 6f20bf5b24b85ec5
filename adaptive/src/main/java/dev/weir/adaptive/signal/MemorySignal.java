package dev.weir.adaptive.signal;

import dev.weir.adaptive.Signal;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The signal "memory": the memory in use as a share of what this process may use, without a unit. 0 is none, 1 is all of it. NaN
 * where nothing can be read.
 *
 * <p>Sees containers: the memory limit of control groups v2 and v1 comes before the heap, and the heap before the memory of the
 * host. A reading takes about 30 us with a limit of v2, 70 us for the heap below two groups of v1 without a limit, and does not
 * block. One thread at a time reads; any may ask for the source. {@link Signals#memory()} says more.
 */
final class MemorySignal implements Signal, Sourced {
    private static final double HEAP = 0.6;
    private static final double HOST = 0.4;

    private final Path root;
    private final DoubleSupplier heap;
    private final DoubleSupplier host;
    private @Nullable List<MemoryGroup> groups;
    private volatile SignalSource source = SignalSource.NONE;

    MemorySignal(Path root) {
        this(root, heap(ManagementFactory.getMemoryMXBean()), new Host()::memory);
    }

    MemorySignal(Path root, DoubleSupplier heap, DoubleSupplier host) {
        this.root = Objects.requireNonNull(root, "root");
        this.heap = heap;
        this.host = host;
    }

    private static DoubleSupplier heap(MemoryMXBean bean) {
        return () -> {
            MemoryUsage usage = bean.getHeapMemoryUsage();
            return usage.getMax() <= 0 ? Double.NaN : (double) usage.getUsed() / usage.getMax();
        };
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public SignalSource source() {
        return source;
    }

    @Override
    public double read() {
        SignalSource found = SignalSource.NONE;
        double max = Double.NaN;
        for (MemoryGroup group : groups()) {
            long limit = group.limit();
            if (limit > 0) {
                found = new SignalSource("cgroup v" + group.version() + " limit", 1);
                double share = (double) group.used() / limit;
                max = share >= 0 && !(share <= max) ? share : max;
            }
        }
        if (found == SignalSource.NONE) {
            max = heap.getAsDouble();
            found = new SignalSource("heap", HEAP);
        }
        if (found.confidence() == HEAP && Double.isNaN(max)) {
            max = host.getAsDouble();
            found = Double.isNaN(max) ? SignalSource.NONE : new SignalSource("host", HOST);
        }
        source = found;
        return max;
    }

    private List<MemoryGroup> groups() {
        List<MemoryGroup> found = groups;
        if (found == null) {
            found = MemoryGroup.of(root);
            groups = found;
        }
        return found;
    }
}
