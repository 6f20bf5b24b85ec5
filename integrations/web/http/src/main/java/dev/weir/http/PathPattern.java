package dev.weir.http;

import dev.weir.internal.Require;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of paths: {@code *} is one segment, <code>{name}</code> is one with a name, {@code **} at the end is all the rest.
 * Empty segments do not count, on either side: {@code //orders/} is {@code /orders}.
 */
final class PathPattern {
    private static final String REST = "**";

    private final String text;
    private final String[] parts;
    private final Set<String> names;

    private PathPattern(String text, String[] parts, Set<String> names) {
        this.text = text;
        this.parts = parts;
        this.names = names;
    }

    /**
     * @throws IllegalArgumentException if it is no pattern
     */
    static PathPattern of(String text) {
        Require.that(text.startsWith("/"), "path must start with /", text);
        String[] parts = List.of(text.split("/")).stream()
                .filter(part -> !part.isEmpty())
                .toArray(String[]::new);
        Set<String> names = new TreeSet<>();
        for (int i = 0; i < parts.length; i++) {
            String part = parts[i];
            boolean isRest = part.equals(REST) && i == parts.length - 1;
            boolean isPlain =
                    part.equals("*") || name(part) != null || part.chars().noneMatch(c -> "*{}?;#".indexOf(c) >= 0);
            Require.that(
                    isRest || isPlain,
                    "path must have *, {name} or a text between slashes, and ** only at its end",
                    text);
            String name = name(part);
            Require.that(name == null || names.add(name), "path must have each {name} once", text);
        }
        return new PathPattern(text, parts, Set.copyOf(names));
    }

    private static @Nullable String name(String part) {
        boolean isNamed = part.length() > 2
                && part.startsWith("{")
                && part.endsWith("}")
                && part.chars().skip(1).limit(part.length() - 2L).allMatch(Character::isJavaIdentifierPart);
        return isNamed ? part.substring(1, part.length() - 1) : null;
    }

    Set<String> names() {
        return names;
    }

    boolean matches(String path) {
        return match(path, "") != null;
    }

    /** The segment with this name in a path that matches; null if there is none. */
    @Nullable
    String segment(String path, String name) {
        String found = match(path, "{" + name + "}");
        return found == null || found.isEmpty() ? null : found;
    }

    /** Null if the path does not match; else the segment in the place of this part, empty if there is none. */
    private @Nullable String match(String path, String wanted) {
        String found = "";
        int at = 0;
        for (String part : parts) {
            if (part.equals(REST)) {
                return found;
            }
            at = afterSlashes(path, at);
            if (at == path.length()) {
                return null;
            }
            int slash = path.indexOf('/', at);
            int end = slash < 0 ? path.length() : slash;
            if (part.equals(wanted)) {
                found = path.substring(at, end);
            } else if (part.charAt(0) != '{'
                    && !part.equals("*")
                    && (part.length() != end - at || !path.startsWith(part, at))) {
                return null;
            }
            at = end;
        }
        return afterSlashes(path, at) == path.length() ? found : null;
    }

    private static int afterSlashes(String path, int from) {
        int at = from;
        while (at < path.length() && path.charAt(at) == '/') {
            at++;
        }
        return at;
    }

    @Override
    public String toString() {
        return text;
    }
}
