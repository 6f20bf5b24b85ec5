package dev.weir.config.value;

/** Makes a value of a text. */
@FunctionalInterface
interface Conversion<T> {
    /**
     * The value.
     *
     * @throws IllegalArgumentException with the rule that the text breaks, and nothing of the text itself
     */
    T convert(String text);
}
