package dev.weir.http;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A pattern of requests, such as {@code POST /orders/**}; no method = any. */
record RequestPattern(@Nullable String method, PathPattern path) {
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT");

    /**
     * @throws IllegalArgumentException if it is no pattern
     */
    static RequestPattern of(String text) {
        int space = text.indexOf(' ');
        String method = space < 0 ? null : text.substring(0, space);
        if (method != null && !METHODS.contains(method)) {
            throw new IllegalArgumentException(
                    "method of the route " + text + " must be one of " + new TreeSet<>(METHODS));
        }
        return new RequestPattern(method, PathPattern.of(text.substring(space + 1)));
    }

    /** A pattern for GET matches HEAD too, because the same work answers it. */
    boolean matches(String asked, String path) {
        boolean isFor = method == null || method.equals(asked) || (method.equals("GET") && asked.equals("HEAD"));
        return isFor && this.path.matches(path);
    }

    @Override
    public String toString() {
        return method == null ? path.toString() : method + " " + path;
    }
}
