package dev.weir.adaptive.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Ticker;
import dev.weir.testkit.VirtualTime;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuSignalTest {
    private static final String V2 = "sys/fs/cgroup/";
    private static final String CPU = "sys/fs/cgroup/cpu/";
    private static final String ACCT = "sys/fs/cgroup/cpuacct/";
    private static final long SECOND = 1_000_000_000;

    @TempDir
    Path root;

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - SECOND / 2);
    private final AtomicLong own = new AtomicLong(7 * SECOND);
    private int hostAsked;
    private double host = Double.NaN;
    private Tree tree;
    private CpuSignal cpu;

    @BeforeEach
    void machineOfFourCores() {
        tree = new Tree(root);
        cpu = new CpuSignal(root, time, own::get, () -> 4, () -> {
            hostAsked++;
            return host;
        });
    }

    private void second(long ownMillis) {
        own.addAndGet(ownMillis * 1_000_000);
        time.advance(SECOND);
    }

    private Tree used(String group, long micros) {
        return tree.file(
                V2 + group + "cpu.stat",
                "usage_usec " + micros + "\nuser_usec 1\nsystem_usec 2\nnr_periods 10\nnr_throttled 3\n");
    }

    @Test
    void halfACoreUsedUpReadsOne() {
        tree.unified("/app").file(V2 + "app/cpu.max", "50000 100000\n");
        used("app/", 1_000_000);
        assertTrue(Double.isNaN(cpu.read()), "nothing to compare with yet");
        used("app/", 1_500_000);
        second(100);
        assertEquals(1.0, cpu.read(), 1e-9);
        assertEquals(new SignalSource("cgroup v2 quota", 1), cpu.source());
        used("app/", 1_625_000);
        second(100);
        assertEquals(0.25, cpu.read(), 1e-9);
        assertEquals(0, hostAsked, "OSHI stays asleep");
    }

    @Test
    void halfACoreOfVersionOneUsedUpReadsOne() {
        tree.split("/app", "/app", "/")
                .file(CPU + "app/cpu.cfs_quota_us", "50000\n")
                .file(CPU + "app/cpu.cfs_period_us", "100000\n")
                .file(ACCT + "app/cpuacct.usage", "1000000000\n")
                .file(ACCT + "cpuacct.usage", "99000000000\n");
        assertTrue(Double.isNaN(cpu.read()));
        tree.file(ACCT + "app/cpuacct.usage", "1500000000\n");
        second(100);
        assertEquals(1.0, cpu.read(), 1e-9);
        assertEquals(new SignalSource("cgroup v1 quota", 1), cpu.source());
    }

    @Test
    void whereOthersAreCountedThanAreLimitedTheProcessIsReadAgainstTheQuota() {
        tree.split("/app", "/other", "/")
                .file(CPU + "app/cpu.cfs_quota_us", "50000\n")
                .file(CPU + "app/cpu.cfs_period_us", "100000\n")
                .file(ACCT + "other/cpuacct.usage", "99000000000\n");
        cpu.read();
        tree.file(ACCT + "other/cpuacct.usage", "103000000000\n");
        second(200);
        assertEquals(0.4, cpu.read(), 1e-9);
        assertEquals("cgroup v1 quota, process time", cpu.source().name());
    }

    @Test
    void theGroupNearestToItsQuotaCounts() {
        tree.unified("/pod/app")
                .file(V2 + "pod/app/cpu.max", "100000 100000\n")
                .file(V2 + "pod/cpu.max", "150000 100000");
        used("pod/app/", 0);
        used("pod/", 0);
        cpu.read();
        used("pod/app/", 500_000);
        used("pod/", 600_000);
        second(500);
        assertEquals(0.5, cpu.read(), 1e-9, "its own: 0.5 of 1, above: 0.6 of 1.5");
        used("pod/app/", 1_000_000);
        used("pod/", 2_025_000);
        second(500);
        assertEquals(0.95, cpu.read(), 1e-9, "its own: 0.5 of 1, above: 1.425 of 1.5");
    }

    @Test
    void aQuotaAboveTheProcessCounts() {
        tree.unified("/pod/app").file(V2 + "pod/app/cpu.max", "max 100000\n").file(V2 + "pod/cpu.max", "50000 100000");
        used("pod/", 0);
        cpu.read();
        used("pod/", 250_000);
        second(100);
        assertEquals(0.5, cpu.read(), 1e-9);
    }

    @Test
    void aContainerSeesItsGroupAsTheTop() {
        tree.file("proc/self/cgroup", "3:cpu,cpuacct:/docker/ab\n")
                .file(
                        "proc/self/mountinfo",
                        "9 8 0:1 /docker/ab /sys/fs/cgroup/my\\040cpu ro - cgroup cgroup rw,cpu,cpuacct\n")
                .file("sys/fs/cgroup/my cpu/cpu.cfs_quota_us", "200000")
                .file("sys/fs/cgroup/my cpu/cpu.cfs_period_us", "100000")
                .file("sys/fs/cgroup/my cpu/cpuacct.usage", "5");
        cpu.read();
        tree.file("sys/fs/cgroup/my cpu/cpuacct.usage", "1000000005");
        second(0);
        assertEquals(0.5, cpu.read(), 1e-9);
    }

    @Test
    void aGroupOutsideTheMountIsLookedForAtTheMount() {
        tree.unified("/../other").file(V2 + "cpu.max", "50000 100000\n");
        used("", 0);
        cpu.read();
        used("", 100_000);
        second(0);
        assertEquals(0.2, cpu.read(), 1e-9);
    }

    @Test
    void withoutAQuotaTheProcessIsReadAgainstTheProcessors() {
        tree.unified("/app").file(V2 + "app/cpu.max", "max 100000\n");
        assertTrue(Double.isNaN(cpu.read()));
        second(1_000);
        assertEquals(0.25, cpu.read(), 1e-9);
        assertEquals("process", cpu.source().name());
    }

    @Test
    void aQuotaOfMoreThanThereIsIsNone() {
        tree.unified("/app").file(V2 + "app/cpu.max", "800000 100000\n");
        used("app/", 0);
        cpu.read();
        second(4_000);
        assertEquals(1.0, cpu.read(), 1e-9, "all of the four there are");
    }

    @Test
    void aQuotaSetWhileRunningIsFollowed() {
        tree.unified("/app").file(V2 + "app/cpu.max", "max 100000\n");
        used("app/", 0);
        cpu.read();
        tree.file(V2 + "app/cpu.max", "50000 100000\n");
        second(500);
        assertTrue(Double.isNaN(cpu.read()), "its use is read for the first time");
        used("app/", 500_000);
        second(500);
        assertEquals(1.0, cpu.read(), 1e-9);
    }

    @Test
    void garbageIsNoQuota() {
        for (String garbage :
                new String[] {"", "\n", "max", "0 0", "-1 100000", "1e9 x", "\0\u00ff", "50000 100000 7"}) {
            tree.unified("/app").file(V2 + "app/cpu.max", garbage);
            cpu.read();
            second(2_000);
            assertEquals(0.5, cpu.read(), 1e-9, garbage);
        }
        String[][] groupsAndMounts = {
            {"no colons\n::\n0:", " - \n1 2 - cgroup2\nx - "},
            {"0::/\0", "31 23 0:28 / /sys/\0 rw - cgroup2 cgroup2 rw"},
            {"0::/app", "31 23 0:28 / // rw - cgroup2"},
            {"1:cpu:", "32 31 0:29 / /../.. rw - cgroup cgroup rw,cpu"},
        };
        for (String[] garbage : groupsAndMounts) {
            tree.file("proc/self/cgroup", garbage[0]).file("proc/self/mountinfo", garbage[1]);
            CpuSignal fresh = new CpuSignal(root, time, own::get, () -> 4, () -> host);
            fresh.read();
            second(2_000);
            assertEquals(0.5, fresh.read(), 1e-9, garbage[0]);
        }
    }

    @Test
    void aUseThatCannotBeReadIsNoReading() {
        tree.unified("/app").file(V2 + "app/cpu.max", "50000 100000\n").file(V2 + "app/cpu.stat", "usage_usec many\n");
        own.set(-1);
        cpu.read();
        time.advance(SECOND);
        assertTrue(Double.isNaN(cpu.read()));
        used("app/", 900);
        cpu.read();
        used("app/", 100);
        time.advance(SECOND);
        assertTrue(Double.isNaN(cpu.read()), "the count fell");
        used("app/", 250_100);
        time.advance(SECOND);
        assertEquals(0.5, cpu.read(), 1e-9, "and is well again");
    }

    @Test
    void noTimeAndABackwardClockAreNoReading() {
        cpu.read();
        assertTrue(Double.isNaN(cpu.read()));
        time.jumpTo(time.read() - SECOND);
        assertTrue(Double.isNaN(cpu.read()));
        second(1_000);
        assertEquals(0.25, cpu.read(), 1e-9);
    }

    @Test
    void theHostIsTheLastResort() {
        own.set(-1);
        assertTrue(Double.isNaN(cpu.read()));
        assertEquals(SignalSource.NONE, cpu.source());
        host = 0.7;
        assertEquals(0.7, cpu.read());
        assertEquals("host", cpu.source().name());
    }

    @Test
    void thisMachineReadsWithinReason() {
        CpuSignal real = new CpuSignal(Path.of("/"), Ticker.system());
        assertTrue(Double.isNaN(real.read()));
        long spun = 0;
        for (int i = 0; i < 20_000_000; i++) {
            spun += i ^ (spun << 1);
        }
        double load = real.read();
        assertTrue(load > 0 && load < 2, "load was " + load);
        assertFalse(real.source().equals(SignalSource.NONE));
        assertTrue(spun != 1);
    }
}
