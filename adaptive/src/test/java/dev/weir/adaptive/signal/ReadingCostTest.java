package dev.weir.adaptive.signal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reading costs far less than the interval between two; how much, the classes say. */
class ReadingCostTest {
    private static final long SANE = 10_000_000;

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
                new CpuSignal(Path.of("/"), Ticker.system()),
                new CpuSignal(root, Ticker.system()),
                new MemorySignal(Path.of("/")),
                new MemorySignal(root),
                new ThrottledSignal(root),
                new PressureSignal(Path.of("/")),
                new GcSignal(Ticker.system()),
                new LagSignal("lag", Runnable::run, Ticker.system()));
        for (Signal signal : signals) {
            long median = median(signal);
            assertTrue(median < SANE, signal.name() + " took " + median + " ns");
        }
    }

    private static long median(Signal signal) {
        Ticker clock = Ticker.system();
        long[] took = new long[51];
        for (int i = 0; i < took.length; i++) {
            long before = clock.read();
            signal.read();
            took[i] = clock.read() - before;
        }
        Arrays.sort(took);
        return took[took.length / 2];
    }
}
