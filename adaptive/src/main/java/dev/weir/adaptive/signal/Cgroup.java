package dev.weir.adaptive.signal;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The control group of this process, for one resource controller of the kernel.
 *
 * @param version 1 or 2
 * @param path its name in the hierarchy, from {@code /proc/self/cgroup}
 * @param levels its directory first, then those of the groups above it that are mounted
 */
record Cgroup(int version, String path, List<Path> levels) {
    /*
     * /proc/self/cgroup names the group, `4:memory:/docker/ab` (v1) or `0::/docker/ab` (v2); /proc/self/mountinfo tells
     * which part of the hierarchy is mounted where, `... / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory`. A
     * container often sees only its own group, mounted as the top: the part of the name above it is removed.
     * Where both versions are mounted, a controller belongs to the version that names it.
     *
     * CgroupInfo of OSHI 7.5 reads only the group's own directory at the usual mount point: no limit of a group above, no part
     * of a hierarchy as the top, no mixed versions (OshiGroupTest).
     */

    private record Mount(String top, String at) {}

    /** The group by which this controller limits the process; null if none is visible. */
    static @Nullable Cgroup of(Path root, String controller) {
        String groups = TextFile.read(root.resolve("proc/self/cgroup"));
        String mounts = TextFile.read(root.resolve("proc/self/mountinfo"));
        if (groups == null || mounts == null) {
            return null;
        }
        Cgroup named = find(root, 1, path(groups, controller), mount(mounts, "cgroup", controller));
        return named != null ? named : find(root, 2, path(groups, ""), mount(mounts, "cgroup2", null));
    }

    private static @Nullable Cgroup find(Path root, int version, @Nullable String path, @Nullable Mount mount) {
        try {
            return path == null || mount == null ? null : new Cgroup(version, path, levels(root, path, mount));
        } catch (InvalidPathException garbage) {
            return null;
        }
    }

    private static @Nullable String path(String groups, String controller) {
        for (String line : groups.split("\n", -1)) {
            String[] parts = line.split(":", 3);
            if (parts.length == 3 && Arrays.asList(parts[1].split(",", -1)).contains(controller)) {
                return parts[2].strip();
            }
        }
        return null;
    }

    private static @Nullable Mount mount(String mounts, String type, @Nullable String option) {
        for (String line : mounts.split("\n", -1)) {
            int dash = line.indexOf(" - ");
            if (dash < 0) {
                continue;
            }
            String[] where = line.substring(0, dash).split(" ", -1);
            String[] what = line.substring(dash + 3).strip().split(" ", -1);
            List<String> options = List.of(what[what.length - 1].split(",", -1));
            if (where.length > 4 && what[0].equals(type) && (option == null || options.contains(option))) {
                return new Mount(unescaped(where[3]), unescaped(where[4]));
            }
        }
        return null;
    }

    private static String unescaped(String field) {
        return field.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    }

    private static List<Path> levels(Path root, String path, Mount mount) {
        Path at = root.resolve(mount.at.replaceFirst("^/+", ""));
        List<Path> upwards = new ArrayList<>(List.of(at));
        for (String name : below(path, mount.top).split("/", -1)) {
            if (!name.isEmpty()) {
                upwards.add(0, upwards.get(0).resolve(name));
            }
        }
        return List.copyOf(upwards);
    }

    private static String below(String path, String top) {
        String start = top.endsWith("/") ? top : top + "/";
        boolean inSight = (path + "/").startsWith(start) && !(path + "/").contains("/../");
        return inSight ? (path + "/").substring(start.length()) : "";
    }
}
