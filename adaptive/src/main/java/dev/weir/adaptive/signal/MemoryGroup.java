package dev.weir.adaptive.signal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
        List<MemoryGroup> groups = new ArrayList<>();
        Cgroup held = Cgroup.of(root, "memory");
        if (held != null) {
            for (Path level : held.levels()) {
                groups.add(new MemoryGroup(held.version(), level));
            }
        }
        return groups;
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
