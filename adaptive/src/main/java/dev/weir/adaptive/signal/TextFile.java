package dev.weir.adaptive.signal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A reader of small files of the kernel, which may be missing or malformed. */
final class TextFile {
    private TextFile() {}

    /** The text of this file; null if it cannot be read. */
    static @Nullable String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException | SecurityException unreadable) {
            return null;
        }
    }

    /** The integer in this file; -1 if there is none that is at least 0. */
    static long number(Path file) {
        String text = read(file);
        return text == null ? -1 : number(text);
    }

    /** This text as an integer; -1 if it is none that is at least 0. */
    static long number(String text) {
        try {
            return Math.max(-1, Long.parseLong(text.strip()));
        } catch (NumberFormatException none) {
            return -1;
        }
    }

    /** The number after this key at the start of a line; -1 if there is none. */
    static long field(@Nullable String text, String key) {
        String start = key + " ";
        return text == null
                ? -1
                : text.lines()
                        .filter(line -> line.startsWith(start))
                        .findFirst()
                        .map(line -> number(line.substring(start.length())))
                        .orElse(-1L);
    }
}
