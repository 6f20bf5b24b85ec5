package dev.weir.adaptive.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.adaptive.signal.MemorySignal.MemoryGroup;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where OSHI's {@code CgroupInfo} shows the limits of a process right, and where wrong, beside what {@link CpuGroup} and
 * {@link MemoryGroup} read. It reads one directory: {@code /sys/fs/cgroup}, then the controller for v1, then the group's name.
 * A limit of a group above, another mount and a mixed hierarchy escape it. When a case under "wrong" fails with a later
 * version, see whether that version can take over.
 */
class OshiGroupTest {
    private static final String V2 = "sys/fs/cgroup/";
    private static final String CPU = "sys/fs/cgroup/cpu/";
    private static final String MEMORY = "sys/fs/cgroup/memory/";
    private static final OshiGroup NO_LIMIT = new OshiGroup(Double.NaN, -1);
    private static final OshiGroup HALF_A_CORE = new OshiGroup(0.5, 1000);

    @TempDir
    Path root;

    private Tree tree() {
        return new Tree(root).file("proc/filesystems", "nodev\tcgroup\nnodev\tcgroup2\n");
    }

    private Tree limited(Tree tree, String group, long quota, long memory) {
        return tree.file(V2 + group + "cpu.max", quota + " 100000\n").file(V2 + group + "memory.max", memory + "\n");
    }

    private Tree unlimited(Tree tree, String group) {
        return tree.file(V2 + group + "cpu.max", "max 100000\n").file(V2 + group + "memory.max", "max\n");
    }

    private Tree limitedV1(Tree tree, String group, long quota, long memory) {
        return tree.file(CPU + group + "cpu.cfs_quota_us", quota + "\n")
                .file(CPU + group + "cpu.cfs_period_us", "100000\n")
                .file(MEMORY + group + "memory.limit_in_bytes", memory + "\n");
    }

    /** The lowest limits of the process's group and those above it. */
    private OshiGroup ours() {
        double cores = CpuGroup.of(root).stream()
                .mapToDouble(CpuGroup::cores)
                .filter(each -> !Double.isNaN(each))
                .min()
                .orElse(Double.NaN);
        long memory = MemoryGroup.of(root).stream()
                .mapToLong(MemoryGroup::limit)
                .filter(each -> each >= 0)
                .min()
                .orElse(-1);
        return new OshiGroup(cores, memory);
    }

    private void read(OshiGroup right, OshiGroup byOshi) throws IOException {
        assertEquals(right, ours());
        assertEquals(byOshi, OshiGroup.of(root));
    }

    @Test
    void rightForHalfACoreOfVersionTwo() throws IOException {
        limited(tree().unified("/app"), "app/", 50_000, 1000);
        read(HALF_A_CORE, HALF_A_CORE);
    }

    @Test
    void rightForHalfACoreOfVersionOne() throws IOException {
        limitedV1(tree().split("/app", "/app", "/app"), "app/", 50_000, 1000);
        read(HALF_A_CORE, HALF_A_CORE);
    }

    @Test
    void rightWithoutALimit() throws IOException {
        unlimited(tree().unified("/app"), "app/");
        read(NO_LIMIT, NO_LIMIT);
    }

    @Test
    void rightWithoutALimitOfVersionOne() throws IOException {
        limitedV1(tree().split("/app", "/app", "/app"), "app/", -1, 9_223_372_036_854_771_712L);
        read(NO_LIMIT, NO_LIMIT);
    }

    @Test
    void wrongWhereTheGroupAboveIsLimited() throws IOException {
        limited(unlimited(tree().unified("/pod/app"), "pod/app/"), "pod/", 50_000, 1000);
        read(HALF_A_CORE, NO_LIMIT);
    }

    @Test
    void wrongWhereTheGroupAboveIsLimitedOfVersionOne() throws IOException {
        Tree tree = limitedV1(tree().split("/pod/app", "/pod/app", "/pod/app"), "pod/app/", 200_000, 5000);
        limitedV1(tree, "pod/", 50_000, 1000);
        read(HALF_A_CORE, new OshiGroup(2, 5000));
    }

    @Test
    void wrongWhereAContainerSeesItsGroupAsTheTop() throws IOException {
        Tree tree = tree().file("proc/self/cgroup", "4:memory:/docker/ab\n3:cpu,cpuacct:/docker/ab\n")
                .file("proc/self/mountinfo", """
                        32 31 0:29 /docker/ab /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct
                        35 31 0:32 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory
                        """);
        limitedV1(tree, "", 50_000, 1000);
        read(HALF_A_CORE, NO_LIMIT);
    }

    @Test
    void wrongWhereTheGroupIsOutsideTheMount() throws IOException {
        limited(tree().unified("/../other"), "", 50_000, 1000);
        read(HALF_A_CORE, NO_LIMIT);
    }

    @Test
    void wrongWhereBothVersionsAreMounted() throws IOException {
        Tree tree = tree().unified("/app").file("proc/self/cgroup", "1:name=systemd:/app\n0::/app\n");
        limited(tree, "app/", 50_000, 1000);
        read(HALF_A_CORE, NO_LIMIT);
    }
}
