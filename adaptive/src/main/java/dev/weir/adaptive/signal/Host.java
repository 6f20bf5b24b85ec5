package dev.weir.adaptive.signal;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import oshi.SystemInfo;
import oshi.hardware.CentralProcessor;
import oshi.hardware.CentralProcessor.TickType;
import oshi.hardware.GlobalMemory;

/** Readings of the whole machine, by OSHI, which does not see containers. */
final class Host {
    /*
     * The first reading starts OSHI (up to 0.4 s, native code) on a thread of its own, which then ends; readings are NaN
     * until it has started, and forever if it cannot start. OSHI caches ticks for 300 ms: an earlier reading gets the same
     * ticks again, which does not mean an idle machine, and returns the last load once more.
     */
    private record Gauges(CentralProcessor cpu, GlobalMemory memory) {}

    /* The thread that changes it starts OSHI; gauges is null until that is done. */
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile @Nullable Gauges gauges;
    private long[] ticks = new long[0];
    private double load = Double.NaN;

    private @Nullable Gauges gauges() {
        if (started.compareAndSet(false, true)) {
            Thread starter = new Thread(this::start, "weir-oshi");
            starter.setDaemon(true);
            starter.start();
        }
        return gauges;
    }

    private void start() {
        try {
            SystemInfo info = new SystemInfo();
            Gauges found = new Gauges(
                    info.getHardware().getProcessor(), info.getHardware().getMemory());
            found.cpu.getSystemCpuLoadTicks();
            gauges = found;
        } catch (Throwable notHere) {
            gauges = null;
        }
    }

    /** The share of all its processors' time that was not idle since the last call; NaN if unknown. */
    double cpu() {
        Gauges present = gauges();
        return present == null ? Double.NaN : between(present.cpu.getSystemCpuLoadTicks());
    }

    double between(long[] now) {
        long[] before = ticks;
        ticks = now.clone();
        if (before.length != now.length) {
            return load;
        }
        long total = 0;
        for (int i = 0; i < now.length; i++) {
            total += now[i] - before[i];
        }
        int idle = TickType.IDLE.getIndex();
        int waiting = TickType.IOWAIT.getIndex();
        if (total > 0) {
            long unused = now[idle] - before[idle] + now[waiting] - before[waiting];
            load = Math.max(0, Math.min(1, 1 - (double) unused / total));
        }
        return load;
    }

    /** The share of its memory that is not available; NaN if unknown. */
    double memory() {
        Gauges present = gauges();
        long total = present == null ? 0 : present.memory.getTotal();
        return present == null || total <= 0 ? Double.NaN : 1 - (double) present.memory.getAvailable() / total;
    }
}
