package dev.weir.config.document.tree;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * A parser of properties. {@code a.b[0].c} is the key {@code c} in the first item of the list {@code b} in the map {@code a};
 * {@code [x.y]} is one key with a dot. The values {@code {}} and {@code []} are an empty map and an empty list.
 */
final class PropertiesTree {
    private final PropertiesSlot root = new PropertiesSlot(new Place(1, 1));
    private final List<Unreadable.Fault> faults = new ArrayList<>();
    private int slots;

    private PropertiesTree() {}

    static Tree read(String text) throws Unreadable {
        PropertiesTree tree = new PropertiesTree();
        int line = 1;
        int from = 0;
        while (from < text.length()) {
            int end = logicalEnd(text, from);
            if (!isBlankOrComment(text, from, end)) {
                tree.line(text.substring(from, end), line);
            }
            line += lines(text, from, end);
            from = end;
        }
        if (!tree.faults.isEmpty()) {
            throw new Unreadable(tree.faults);
        }
        if (tree.slots == 0) {
            throw new Unreadable(Place.NONE, "must not be empty");
        }
        return new Tree(tree.root.node(), false);
    }

    /* A line that ends with an odd number of backslashes continues, unless it is a comment or blank. */
    private static int logicalEnd(String text, int from) {
        int start = from;
        boolean isFirst = true;
        while (true) {
            int end = start;
            while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\r') {
                end++;
            }
            boolean continues = continues(text, start, end) && !(isFirst && isBlankOrComment(text, start, end));
            int next = end;
            if (next < text.length()) {
                boolean isPair = text.charAt(next) == '\r' && next + 1 < text.length() && text.charAt(next + 1) == '\n';
                next += isPair ? 2 : 1;
            }
            if (!continues || next == text.length()) {
                return next;
            }
            start = next;
            isFirst = false;
        }
    }

    private static boolean continues(String text, int start, int end) {
        int at = end;
        while (at > start && text.charAt(at - 1) == '\\') {
            at--;
        }
        return (end - at) % 2 == 1;
    }

    private static boolean isBlankOrComment(String text, int start, int end) {
        int at = blanks(text, start, end);
        return at == end || "#!\r\n".indexOf(text.charAt(at)) >= 0;
    }

    private static int blanks(String text, int start, int end) {
        int at = start;
        while (at < end && (text.charAt(at) == ' ' || text.charAt(at) == '\t' || text.charAt(at) == '\f')) {
            at++;
        }
        return at;
    }

    private static int lines(String text, int from, int to) {
        int lines = 0;
        for (int i = from; i < to; i++) {
            char character = text.charAt(i);
            boolean isPair = character == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
            lines += (character == '\n' || character == '\r') && !isPair ? 1 : 0;
        }
        return lines;
    }

    private void line(String raw, int line) throws Unreadable {
        int start = blanks(raw, 0, raw.length());
        Place at = new Place(line, start + 1);
        Properties read = new Properties();
        try {
            read.load(new StringReader(raw));
        } catch (IOException | IllegalArgumentException e) {
            throw new Unreadable(at, "must have four hexadecimal digits after \\u");
        }
        for (String key : read.stringPropertyNames()) {
            put(key, read.getProperty(key, ""), at, isOneLine(raw) ? new Place(line, valueColumn(raw, start)) : at);
        }
    }

    private static boolean isOneLine(String raw) {
        return raw.stripTrailing().chars().noneMatch(c -> c == '\n' || c == '\r');
    }

    private static int valueColumn(String raw, int start) {
        int at = start;
        while (at < raw.length() && " \t\f=:\r\n".indexOf(raw.charAt(at)) < 0) {
            at += raw.charAt(at) == '\\' ? 2 : 1;
        }
        at = blanks(raw, Math.min(at, raw.length()), raw.length());
        if (at < raw.length() && (raw.charAt(at) == '=' || raw.charAt(at) == ':')) {
            at = blanks(raw, at + 1, raw.length());
        }
        return at + 1;
    }

    private void put(String key, String value, Place keyAt, Place valueAt) throws Unreadable {
        List<PropertiesPath.Step> steps = PropertiesPath.of(key, keyAt);
        slots += steps.size();
        if (slots > TreeBuilder.MAX_NODES) {
            throw new Unreadable(keyAt, "must have at most " + TreeBuilder.MAX_NODES + " keys and values");
        }
        PropertiesSlot slot = root;
        for (PropertiesPath.Step step : steps) {
            slot = slot.at(step, keyAt);
        }
        if (!slot.set(value, valueAt) && faults.size() < TreeBuilder.MAX_FAULTS) {
            faults.add(new Unreadable.Fault(keyAt, "must not have the same key twice", key));
        }
    }
}
