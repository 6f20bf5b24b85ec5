package dev.weir.config.value;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The values of an accepted document.
 *
 * @param sequence counted from 1; 0 = no document yet
 * @param version names the document in problems
 * @param values the texts by key; those of a list by {@code key[0]}, {@code key[1]} and so on
 * @param unreadable the keys that the document has in a way that cannot be read; {@code values} has their earlier texts
 * @param earlier the last documents with other texts, oldest first: for a value that is created later and cannot use the text of
 *     now
 */
record ValueDocument(
        long sequence,
        String version,
        Map<String, String> values,
        Set<String> unreadable,
        List<ValueDocument> earlier) {
    static final char ELEMENT = '\0';
    static final ValueDocument NONE = new ValueDocument(0, "", Map.of(), Set.of(), List.of());
    private static final int MAX_EARLIER = 8;

    ValueDocument next(Map<String, String> texts, Set<String> unreadableNow, String name) {
        Map<String, String> copy = Map.copyOf(texts);
        List<ValueDocument> all = new ArrayList<>(earlier);
        if (!copy.equals(values)) {
            all.add(new ValueDocument(sequence, version, values, unreadable, List.of()));
        }
        return new ValueDocument(
                sequence + 1,
                name,
                copy,
                Set.copyOf(unreadableNow),
                List.copyOf(all.subList(Math.max(0, all.size() - MAX_EARLIER), all.size())));
    }

    /**
     * The value of this document, or of the last one before it that is good.
     *
     * @throws IllegalStateException if there is none
     */
    <T> T lastGood(Lookup<T> needed) {
        IllegalArgumentException bad = null;
        for (int i = earlier.size(); i >= 0; i--) {
            ValueDocument document = i == earlier.size() ? this : earlier.get(i);
            Object texts = needed.texts().apply(document);
            try {
                if (texts != null && texts != Lookup.AS_BEFORE) {
                    return needed.value(texts);
                }
            } catch (IllegalArgumentException e) {
                bad = bad == null ? e : bad;
            }
        }
        throw new IllegalStateException(needed.key() + " has neither a good value nor defaults", bad);
    }

    /** Whether the text at a key, or an element of it, is not that of this document. */
    boolean isUnreadable(String key) {
        return unreadable.stream().anyMatch(each -> isIn(key, each) || isIn(each, key));
    }

    private static boolean isIn(String key, String outer) {
        return key.startsWith(outer)
                && (key.length() == outer.length() || ".[".indexOf(key.charAt(outer.length())) >= 0);
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
