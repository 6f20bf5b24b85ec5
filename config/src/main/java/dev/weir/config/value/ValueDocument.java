package dev.weir.config.value;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of an accepted document by key, those of a list by {@code key[0]} and so on; and the last documents with other texts,
 * oldest first, for a value that is created later and cannot use the text of now.
 */
record ValueDocument(long sequence, String version, Map<String, String> values, List<ValueDocument> earlier) {
    static final char ELEMENT = '\0';
    static final ValueDocument NONE = new ValueDocument(0, "", Map.of(), List.of());
    private static final int MAX_EARLIER = 8;

    ValueDocument next(Map<String, String> texts, String name) {
        Map<String, String> copy = Map.copyOf(texts);
        List<ValueDocument> all = new ArrayList<>(earlier);
        if (!copy.equals(values)) {
            all.add(new ValueDocument(sequence, version, values, List.of()));
        }
        return new ValueDocument(
                sequence + 1, name, copy, List.copyOf(all.subList(Math.max(0, all.size() - MAX_EARLIER), all.size())));
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
