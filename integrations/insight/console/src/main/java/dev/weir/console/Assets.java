package dev.weir.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The files of the page, which are beside this class: only names without a folder, and only these endings. Thread-safe. */
final class Assets {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.-]{0,60}[.]([a-z]{2,4})");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml",
            "txt", "text/plain; charset=utf-8");

    private final Map<String, Answer> read = new ConcurrentHashMap<>();

    /** The file of this path; null = there is none. */
    @Nullable
    Answer find(String path) {
        String name = path.isEmpty() ? "index.html" : path;
        var match = NAME.matcher(name);
        String type = match.matches() ? TYPES.get(match.group(1)) : null;
        return type == null ? null : read.computeIfAbsent(name, absent -> load(absent, type));
    }

    private static @Nullable Answer load(String name, String type) {
        try (InputStream file = Assets.class.getResourceAsStream(name)) {
            return file == null ? null : Answer.of(200, type, file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
