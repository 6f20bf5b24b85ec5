package dev.weir.adaptive.signal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of a made-up machine under a directory. */
record Tree(Path root) {
    Tree file(String name, String text) {
        try {
            Path file = root.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Unified hierarchy, the process in this group. */
    Tree unified(String path) {
        return file("proc/self/cgroup", "0::" + path + "\n").file("proc/self/mountinfo", """
                        22 28 0:20 / /proc rw,nosuid - proc proc rw
                        31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate
                        """);
    }

    /** Version 1, each controller mounted on its own, the process in these groups. */
    Tree split(String cpu, String cpuacct, String memory) {
        return file("proc/self/cgroup", "4:memory:" + memory + "\n2:cpuacct:" + cpuacct + "\n1:cpu:" + cpu + "\n0::/\n")
                .file("proc/self/mountinfo", """
                        31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
                        32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
                        33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct
                        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
                        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
                        """);
    }
}
