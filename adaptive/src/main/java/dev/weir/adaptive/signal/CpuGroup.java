package dev.weir.adaptive.signal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The CPU quota of a control group, and its use.
 *
 * @param version 1 or 2
 * @param directory with the files of its quota
 * @param accounting with the files of its use; null if these count other processes
 */
record CpuGroup(int version, Path directory, @Nullable Path accounting) {
    /** The group of this process and those above it that are mounted. */
    static List<CpuGroup> of(Path root) {
        Cgroup held = Cgroup.of(root, "cpu");
        if (held == null) {
            return List.of();
        }
        Cgroup counted = held.version() == 2 ? held : Cgroup.of(root, "cpuacct");
        boolean same = counted != null
                && counted.version() == held.version()
                && counted.path().equals(held.path())
                && counted.levels().size() == held.levels().size();
        List<CpuGroup> groups = new ArrayList<>();
        for (int level = 0; level < held.levels().size(); level++) {
            Path uses = counted != null && same ? counted.levels().get(level) : null;
            groups.add(new CpuGroup(held.version(), held.levels().get(level), uses));
        }
        return groups;
    }

    /** The number of cores it may use; NaN without a quota. */
    double cores() {
        long quota;
        long period;
        if (version == 2) {
            String text = TextFile.read(directory.resolve("cpu.max"));
            String[] words = text == null ? new String[0] : text.strip().split(" ", -1);
            quota = words.length == 2 ? TextFile.number(words[0]) : -1;
            period = words.length == 2 ? TextFile.number(words[1]) : -1;
        } else {
            quota = TextFile.number(directory.resolve("cpu.cfs_quota_us"));
            period = quota > 0 ? TextFile.number(directory.resolve("cpu.cfs_period_us")) : -1;
        }
        return quota > 0 && period > 0 ? (double) quota / period : Double.NaN;
    }

    /** The CPU time it has used, in nanoseconds; -1 if unknown. */
    long used() {
        if (accounting == null) {
            return -1;
        }
        if (version == 1) {
            return TextFile.number(accounting.resolve("cpuacct.usage"));
        }
        long micros = TextFile.field(TextFile.read(accounting.resolve("cpu.stat")), "usage_usec");
        return micros < 0 || micros > Long.MAX_VALUE / 1000 ? -1 : micros * 1000;
    }

    /** Its {@code cpu.stat}; null if there is none. */
    @Nullable
    String stat() {
        return TextFile.read(directory.resolve("cpu.stat"));
    }
}
