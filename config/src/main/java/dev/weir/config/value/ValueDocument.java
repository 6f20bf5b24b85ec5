package dev.weir.config.value;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of an accepted document.
 *
 * @param sequence counted from 1; 0 = no document yet
 * @param version names the document in problems
 * @param values the texts by key; those of a list by {@code key[0]}, {@code key[1]} and so on
 * @param earlier of each key whose text was another one in an earlier document, the last such text
 */
record ValueDocument(long sequence, String version, Map<String, String> values, Map<String, String> earlier) {
    static final char ELEMENT = '\0';
    static final ValueDocument NONE = new ValueDocument(0, "", Map.of(), Map.of());

    ValueDocument next(Map<String, String> texts, String name) {
        Map<String, String> replaced = new HashMap<>(earlier);
        replaced.keySet().retainAll(texts.keySet());
        values.forEach((key, text) -> {
            if (texts.containsKey(key) && !text.equals(texts.get(key))) {
                replaced.put(key, text);
            }
        });
        return new ValueDocument(sequence + 1, name, Map.copyOf(texts), Map.copyOf(replaced));
    }

    /** For a value that is created later and cannot use the text of now: the texts before, as a document before the first. */
    ValueDocument before() {
        Map<String, String> texts = new HashMap<>(values);
        texts.putAll(earlier);
        return new ValueDocument(0, version, texts, Map.of());
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
