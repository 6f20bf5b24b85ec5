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

/** The signal of {@link Signals#memory()}. One thread at a time reads; any may ask for the source. */
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
        if (groups == null) {
            groups = MemoryGroup.of(root);
        }
        for (MemoryGroup group : groups) {
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

    /**
     * The memory limit of a control group, and its use.
     *
     * @param version 1 or 2
     * @param directory with its files
     */
    record MemoryGroup(int version, Path directory) {
        /** v1 writes a number just below Long.MAX_VALUE for "no limit"; no machine has this much. */
        private static final long UNLIMITED = 1L << 60;

        /** The group of this process and those above it that are mounted. */
        static List<MemoryGroup> of(Path root) {
            Cgroup held = Cgroup.of(root, "memory");
            return held == null
                    ? List.of()
                    : held.levels().stream()
                            .map(level -> new MemoryGroup(held.version(), level))
                            .toList();
        }

        /** The number of bytes it may use; -1 if there is no limit. */
        long limit() {
            long bytes = TextFile.number(directory.resolve(version == 2 ? "memory.max" : "memory.limit_in_bytes"));
            return bytes < UNLIMITED ? bytes : -1;
        }

        /** The number of bytes it uses, without cached files that were not used recently; -1 if unknown. */
        long used() {
            long all = TextFile.number(directory.resolve(version == 2 ? "memory.current" : "memory.usage_in_bytes"));
            String stat = TextFile.read(directory.resolve("memory.stat"));
            long cached = TextFile.field(stat, version == 2 ? "inactive_file" : "total_inactive_file");
            return all < 0 ? -1 : Math.max(0, all - Math.max(0, cached));
        }
    }
}
