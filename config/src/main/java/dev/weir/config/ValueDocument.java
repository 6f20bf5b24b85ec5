package dev.weir.config;

import java.util.Map;

/**
 * The values of an accepted document.
 *
 * @param sequence counted from 1; 0 = no document yet
 * @param version names the document in problems
 * @param values the texts by key
 */
record ValueDocument(long sequence, String version, Map<String, String> values) {
    static final ValueDocument NONE = new ValueDocument(0, "", Map.of());

    ValueDocument next(Map<String, String> texts, String name) {
        return new ValueDocument(sequence + 1, name, Map.copyOf(texts));
    }
}
