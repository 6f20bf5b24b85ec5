package dev.weir.keyed;

import java.util.List;

/**
 * A key made of several strings, such as URL, address and user. Equal where all of them are, in order; no two different
 * lists make the same key, whatever characters they hold. Immutable.
 *
 * <p>Prefer it to a record of your own where clients choose the values: it is ordered, so that a great many keys with
 * one hash code are still told apart in logarithmic time, and all its strings go into the hash by which a forgotten key's
 * debt is remembered.
 *
 * @param values 1 to 16 strings, none null; they may be empty
 */
public record Dimensions(List<String> values) implements Comparable<Dimensions> {
    static final int MOST = 16;

    /** Checks and copies the values. */
    public Dimensions {
        values = List.copyOf(values);
        if (values.isEmpty() || values.size() > MOST) {
            throw new IllegalArgumentException("values.size() must be >= 1 and <= " + MOST + ", was " + values.size());
        }
    }

    /** These, in this order. */
    public static Dimensions of(String... values) {
        return new Dimensions(List.of(values));
    }

    @Override
    public int compareTo(Dimensions other) {
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
