package dev.weir.keyed;

import java.util.List;

/**
 * A key made of several strings without names. Two keys are equal if all their strings are, in order; different lists never make
 * the same key, whatever characters they contain. A limit by several names counts by the values of these, in the order of the
 * names ({@link Dimensions}). Immutable.
 *
 * <p>Use it instead of a record of your own if clients choose the values: it is comparable, so many keys with the same hash
 * code are still found in logarithmic time, and all its strings go into the hash by which the debt of an evicted key is
 * found.
 *
 * @param values 1 to 16 strings, which may be empty
 */
public record KeyValues(List<String> values) implements Comparable<KeyValues> {
    static final int MAX = 16;

    /**
     * Copies and checks the values.
     *
     * @throws IllegalArgumentException if there are no values or more than 16
     * @throws NullPointerException if the list or a value is null
     */
    public KeyValues {
        values = List.copyOf(values);
        if (values.isEmpty() || values.size() > MAX) {
            throw new IllegalArgumentException("values.size() must be >= 1 and <= " + MAX + ", was " + values.size());
        }
    }

    /**
     * A key of these values, in this order.
     *
     * @throws IllegalArgumentException if there are no values or more than 16
     * @throws NullPointerException if a value is null
     */
    public static KeyValues of(String... values) {
        return new KeyValues(List.of(values));
    }

    @Override
    public int compareTo(KeyValues other) {
        int common = Math.min(values.size(), other.values.size());
        for (int i = 0; i < common; i++) {
            int byValue = values.get(i).compareTo(other.values.get(i));
            if (byValue != 0) {
                return byValue;
            }
        }
        return Integer.compare(values.size(), other.values.size());
    }

    int length() {
        int length = 0;
        for (String value : values) {
            length += value.length();
        }
        return length;
    }
}
