package dev.weir.config.value;

import org.jspecify.annotations.Nullable;

/**
 * The state of one value under one document.
 *
 * @param sequence of the document
 * @param text in the document; null = the key is not in it
 * @param value in force: of this document, or the last good one if this document's is bad
 * @param problem the rule that the text breaks; null = none
 */
record ValueState<T>(
        long sequence,
        @Nullable String text,
        T value,
        @Nullable String problem) {
    ValueState<T> at(long laterSequence) {
        return new ValueState<>(laterSequence, text, value, problem);
    }
}
