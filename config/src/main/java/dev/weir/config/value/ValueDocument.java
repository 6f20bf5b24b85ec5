package dev.weir.config.value;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of an accepted document.
 *
 * @param sequence counted from 1; 0 = no document yet
 * @param version names the document in problems
 * @param values the texts by key; those of a list by {@code key[0]}, {@code key[1]} and so on
 */
record ValueDocument(long sequence, String version, Map<String, String> values) {
    static final char ELEMENT = '\0';
    static final ValueDocument NONE = new ValueDocument(0, "", Map.of());

    ValueDocument next(Map<String, String> texts, String name) {
        return new ValueDocument(sequence + 1, name, Map.copyOf(texts));
    }

    /** The text at a key; for a list, its elements, each after a {@link #ELEMENT}; null = the key is missing. */
    @Nullable
    String text(String key) {
        String text = values.get(key);
        if (text != null || !values.containsKey(key + "[0]")) {
            return text;
        }
        StringBuilder elements = new StringBuilder();
        for (int i = 0; values.containsKey(key + "[" + i + "]"); i++) {
            elements.append(ELEMENT).append(values.get(key + "[" + i + "]"));
        }
        return elements.toString();
    }
}
