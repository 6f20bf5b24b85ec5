package dev.weir.adaptive.signal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a control group may use of the memory, and uses.
 *
 * @param version 1 or 2
 * @param directory where its files are
 */
record MemoryGroup(int version, Path directory) {
    /** What v1 writes for "no limit" is just below the largest number; no machine has so much. */
    private static final long UNLIMITED = 1L << 60;

    /** That of this process and those above it, as far as they can be seen. */
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

    /** How many bytes it may use; -1 if there is no limit. */
    long limit() {
        long bytes = TextFile.number(directory.resolve(version == 2 ? "memory.max" : "memory.limit_in_bytes"));
        return bytes < UNLIMITED ? bytes : -1;
    }

    /** How many bytes it uses, less cached files not used of late; -1 if that cannot be told. */
    long used() {
        long all = TextFile.number(directory.resolve(version == 2 ? "memory.current" : "memory.usage_in_bytes"));
        String stat = TextFile.read(directory.resolve("memory.stat"));
        long cached = TextFile.field(stat, version == 2 ? "inactive_file" : "total_inactive_file");
        return all < 0 ? -1 : Math.max(0, all - Math.max(0, cached));
    }
}
