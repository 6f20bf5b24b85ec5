package dev.weir.config.value;

/** A conversion of a text to a value. */
@FunctionalInterface
interface Conversion<T> {
    /**
     * The value.
     *
     * @throws IllegalArgumentException with the rule that the text breaks, and nothing of the text itself
     */
    T convert(String text);
}
