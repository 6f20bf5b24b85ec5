package dev.weir.config.value;

import org.jspecify.annotations.Nullable;

/**
 * The state of one value under one document.
 *
 * @param sequence of the document
 * @param texts in the document, as the lookup of the value found them; null = none
 * @param value in force: of this document, or the last good one if this document's is bad
 * @param problem the key and the rule that is broken there; null = none
 */
record ValueState<T>(long sequence, @Nullable Object texts, T value, Lookup.@Nullable Broken problem) {
    ValueState<T> at(long laterSequence) {
        return new ValueState<>(laterSequence, texts, value, problem);
    }
}
