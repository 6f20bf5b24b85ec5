package dev.weir.adaptive.signal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Signal;
import dev.weir.testkit.VirtualTime;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reading costs far less processor time than the interval between two; how much, the classes say. */
class ReadingCostTest {
    private static final long SANE = 10_000_000;

    private final VirtualTime time = new VirtualTime();

    @TempDir
    Path root;

    @Test
    void everySignalIsReadInFarLessThanAnInterval() {
        new Tree(root)
                .unified("/app")
                .file("sys/fs/cgroup/app/cpu.max", "50000 100000")
                .file("sys/fs/cgroup/app/cpu.stat", "usage_usec 1\nnr_periods 1\nnr_throttled 1\n")
                .file("sys/fs/cgroup/app/memory.max", "1000")
                .file("sys/fs/cgroup/app/memory.current", "900");
        List<Signal> signals = List.of(
                new CpuSignal(Path.of("/"), time),
                new CpuSignal(root, time),
                new MemorySignal(Path.of("/")),
                new MemorySignal(root),
                new ThrottledSignal(root),
                new PressureSignal(Path.of("/")),
                new GcSignal(time),
                new LagSignal("lag", Runnable::run, time));
        for (Signal signal : signals) {
            long median = median(signal);
            assertTrue(median < SANE, signal.name() + " took " + median + " ns of the processor");
        }
    }

    private static long median(Signal signal) {
        ThreadMXBean processor = ManagementFactory.getThreadMXBean();
        long[] took = new long[51];
        for (int i = 0; i < took.length; i++) {
            long before = processor.getCurrentThreadCpuTime();
            signal.read();
            took[i] = processor.getCurrentThreadCpuTime() - before;
        }
        Arrays.sort(took);
        return took[took.length / 2];
    }
}
