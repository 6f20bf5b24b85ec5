package dev.weir.adaptive.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemorySignalTest {
    private static final String V1 = "sys/fs/cgroup/memory/";
    private static final String V2 = "sys/fs/cgroup/";

    @TempDir
    Path root;

    private double heap = 0.3;
    private double host = 0.4;

    private Tree tree() {
        return new Tree(root);
    }

    private MemorySignal memory() {
        return new MemorySignal(root, () -> heap, () -> host);
    }

    private Tree group(String name, String max, long current, long inactive) {
        return tree().file(V2 + name + "memory.max", max + "\n")
                .file(V2 + name + "memory.current", current + "\n")
                .file(V2 + name + "memory.stat", "anon 5\nfile 9\ninactive_file " + inactive + "\nactive_file 1\n");
    }

    @Test
    void cachedFilesAreNotInUse() {
        tree().unified("/app");
        group("app/", "1000", 800, 300);
        MemorySignal memory = memory();
        assertEquals(0.5, memory.read(), 1e-12);
        assertEquals(new SignalSource("cgroup v2 limit", 1), memory.source());
    }

    @Test
    void versionOneCountsThoseBelowToo() {
        tree().split("/", "/", "/app")
                .file(V1 + "app/memory.limit_in_bytes", "1000\n")
                .file(V1 + "app/memory.usage_in_bytes", "900\n")
                .file(V1 + "app/memory.stat", "inactive_file 1\ntotal_inactive_file 150\n")
                .file(V1 + "memory.limit_in_bytes", "9223372036854771712\n")
                .file(V1 + "memory.usage_in_bytes", "5000\n");
        MemorySignal memory = memory();
        assertEquals(0.75, memory.read(), 1e-12);
        assertEquals("cgroup v1 limit", memory.source().name());
    }

    @Test
    void theGroupNearestToItsLimitCounts() {
        tree().unified("/pod/app");
        group("pod/app/", "1000", 500, 0);
        group("pod/", "2000", 1800, 0);
        assertEquals(0.9, memory().read(), 1e-12);
        group("pod/", "max", 1800, 0);
        assertEquals(0.5, memory().read(), 1e-12);
    }

    @Test
    void withoutALimitTheHeapIsRead() {
        tree().unified("/app");
        group("app/", "max", 800, 300);
        MemorySignal memory = memory();
        assertEquals(0.3, memory.read());
        assertEquals("heap", memory.source().name());
        heap = Double.NaN;
        assertEquals(0.4, memory.read());
        assertEquals("host", memory.source().name());
        host = Double.NaN;
        assertTrue(Double.isNaN(memory.read()));
        assertEquals(SignalSource.NONE, memory.source());
    }

    @Test
    void aLimitWithoutAUseIsNoReading() {
        tree().unified("/app").file(V2 + "app/memory.max", "1000\n").file(V2 + "app/memory.current", "much\n");
        assertTrue(Double.isNaN(memory().read()));
    }

    @Test
    void withoutItsStatisticsAllCountsAsUsed() {
        tree().unified("/app").file(V2 + "app/memory.max", "1000\n").file(V2 + "app/memory.current", "800\n");
        assertEquals(0.8, memory().read(), 1e-12);
        group("app/", "1000", 100, 300);
        assertEquals(0, memory().read(), "never below nothing");
    }

    @Test
    void garbageIsNoLimit() {
        for (String garbage : new String[] {"", "x", "-5", "0", "\0", "99999999999999999999999"}) {
            tree().unified("/app");
            group("app/", garbage, 1, 0);
            assertEquals(0.3, memory().read(), garbage);
        }
    }

    @Test
    void thisMachineReadsAShare() {
        double share = new MemorySignal(Path.of("/")).read();
        assertTrue(share > 0 && share <= 1, "share was " + share);
    }
}
