package dev.weir.zookeeper;

import dev.weir.internal.Require;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.zookeeper.common.PathUtils;

/** The paths of nodes, and names that are safe within them. */
final class NodeNames {
    private static final String PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    private NodeNames() {}

    static String checked(String path) {
        Objects.requireNonNull(path, "path");
        try {
            PathUtils.validatePath(path);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("path must be one of ZooKeeper, was " + path, e);
        }
        Require.that(!path.equals("/"), "path must be below the root", path);
        return path;
    }

    /** Any text as the name of a node; two texts never have the same. */
    static String escaped(String text) {
        if (text.isEmpty()) {
            return "%";
        }
        boolean onlyDots = text.chars().allMatch(c -> c == '.');
        String plain = onlyDots ? PLAIN : PLAIN + '.';
        StringBuilder name = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (plain.indexOf(b) >= 0) {
                name.append((char) b);
            } else {
                name.append(String.format("%%%02X", b & 0xff));
            }
        }
        return name.toString();
    }
}
