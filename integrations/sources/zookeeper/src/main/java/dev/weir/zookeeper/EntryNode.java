package dev.weir.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The data of the node of an entry: a line with the incarnation of the node, and the value.
 *
 * @param incarnation the name of a child that only this incarnation of the node has; null if the data have none, because somebody
 *     else wrote them
 */
record EntryNode(@Nullable String incarnation, String value) {
    private static final Pattern LINE = Pattern.compile("([0-9a-f-]{36})\n(.*)", Pattern.DOTALL);

    static EntryNode of(byte @Nullable [] data) {
        String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
        Matcher line = LINE.matcher(text);
        return line.matches() ? new EntryNode(line.group(1), line.group(2)) : new EntryNode(null, text);
    }

    static String newIncarnation() {
        return UUID.randomUUID().toString();
    }

    static byte[] data(String incarnation, String value) {
        return (incarnation + '\n' + value).getBytes(StandardCharsets.UTF_8);
    }
}
