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
 * "memory": memory in use as a share of what this process may use. NaN if there is no source.
 *
 * <p>Read from the first of these that is there, see {@link #source()}:
 *
 * <ol>
 *   <li>the memory limit of the process's control group (v2 or v1) or of one above it: what the group uses, less files
 *       cached and not used of late, against its limit; of several, the one nearest to its limit counts;
 *   <li>the heap against its largest size; garbage not yet collected counts as used, so this one wants smoothing;
 *   <li>the host's, by OSHI, which is only then started, on a thread of its own: blind to every limit.
 * </ol>
 *
 * <p>It does not block but reads files. One thread at a time reads; any may ask for the source.
 *
 * <p>A reading costs about 30 us against a limit of v2, 70 us of the heap below two v1 groups without a limit
 * (median on a shared two-core AMD EPYC virtual machine, JDK 17).
 */
public final class MemorySignal implements Signal, Sourced {
    private static final double HEAP = 0.6;
    private static final double HOST = 0.4;

    private final Path root;
    private final DoubleSupplier heap;
    private final DoubleSupplier host;
    private @Nullable List<MemoryGroup> groups;
    private volatile SignalSource source = SignalSource.NONE;

    /** Of this process. */
    public MemorySignal() {
        this(Path.of("/"));
    }

    /**
     * With control groups as the files under this directory have them.
     *
     * @param root in the place of {@code /}: {@code proc/self/cgroup} and {@code proc/self/mountinfo} are looked for in it
     */
    public MemorySignal(Path root) {
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
        double most = Double.NaN;
        for (MemoryGroup group : groups()) {
            long limit = group.limit();
            if (limit > 0) {
                found = new SignalSource("cgroup v" + group.version() + " limit", 1);
                double share = (double) group.used() / limit;
                most = share >= 0 && !(share <= most) ? share : most;
            }
        }
        if (found == SignalSource.NONE) {
            most = heap.getAsDouble();
            found = new SignalSource("heap", HEAP);
        }
        if (found.confidence() == HEAP && Double.isNaN(most)) {
            most = host.getAsDouble();
            found = Double.isNaN(most) ? SignalSource.NONE : new SignalSource("host", HOST);
        }
        source = found;
        return most;
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
