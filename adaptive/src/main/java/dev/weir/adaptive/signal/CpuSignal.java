package dev.weir.adaptive.signal;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * "cpu": CPU time used since the last reading, as a share of what this process may use. 1 is all of it; bursts may read a
 * little more. The first reading is NaN, as is any for which there is no source.
 *
 * <p>Read from the first of these that is there, see {@link #source()}:
 *
 * <ol>
 *   <li>the quota of the process's control group (v2 or v1) or of one above it: what the group used against the group's
 *       quota; of several, the one nearest to its quota counts. A quota of more cores than the process may use
 *       is none. Where v1 counts the use of other processes than it limits, the process's own CPU time is taken.
 *   <li>the process's CPU time against the available processors: true but blind to neighbours;
 *   <li>the host's, by OSHI, which is only then started, on a thread of its own: blind to every limit.
 * </ol>
 *
 * <p>Best read every 500 ms or more seldom, by one reader: each has a CpuSignal of its own. It does not block but reads
 * files. One thread at a time reads; any may ask for the source.
 *
 * <p>A reading costs about 35 us against a quota of v2, 20 us against the processors
 * (median on a shared two-core AMD EPYC virtual machine, JDK 17).
 */
public final class CpuSignal implements Signal, Sourced {
    private static final double OWN_USE = 0.8;
    private static final double PROCESS = 0.7;
    private static final double HOST = 0.4;

    private record Limited(CpuGroup group, CounterRate rise) {}

    private final Path root;
    private final Ticker ticker;
    private final LongSupplier processTime;
    private final IntSupplier processors;
    private final DoubleSupplier host;
    private final CounterRate ownRise = new CounterRate();
    private @Nullable List<Limited> groups;
    private volatile SignalSource source = SignalSource.NONE;

    /** Of this process. */
    public CpuSignal() {
        this(Path.of("/"), Ticker.system());
    }

    /**
     * With control groups as the files under this directory have them.
     *
     * @param root in the place of {@code /}: {@code proc/self/cgroup} and {@code proc/self/mountinfo} are looked for in it
     * @param ticker the clock between readings
     */
    public CpuSignal(Path root, Ticker ticker) {
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
        double own = ownRise.to(time, now);
        int available = processors.getAsInt();
        SignalSource found = SignalSource.NONE;
        double load = Double.NaN;
        for (Limited limited : groups()) {
            double cores = limited.group.cores();
            if (!(cores <= available)) {
                continue;
            }
            long used = limited.group.used();
            double share = (used < 0 ? own : limited.rise.to(used, now)) / cores;
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

    private static SignalSource quota(CpuGroup group, boolean ownUse) {
        String name = "cgroup v" + group.version() + " quota";
        return ownUse ? new SignalSource(name + ", process time", OWN_USE) : new SignalSource(name, 1);
    }

    private List<Limited> groups() {
        List<Limited> found = groups;
        if (found == null) {
            found = new ArrayList<>();
            for (CpuGroup group : CpuGroup.of(root)) {
                found.add(new Limited(group, new CounterRate()));
            }
            groups = found;
        }
        return found;
    }
}
