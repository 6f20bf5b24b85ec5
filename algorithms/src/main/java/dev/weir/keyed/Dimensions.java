package dev.weir.keyed;

import dev.weir.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The key of a request as named strings, such as its URL, address and user. Each limit counts by the names that it is made for
 * ({@link Keyed#by}), and finds their values whatever other names there are. Two are equal if they have the same names with the
 * same values; the order in which they were given does not matter. Immutable.
 *
 * <pre>{@code
 * Keyed perUser = Keyed.of(TokenBucket.of(100, Duration.ofSeconds(1)), 10_000).by("user");
 * Decision decision = limiter.tryAcquire(Request.forKey(Dimensions.of("url", url, "ip", ip, "user", user)));
 * }</pre>
 *
 * <p>Whatever does not know names, such as {@code Partitioned}, a queue or a store, sees the value if there is one name, and these
 * dimensions if there are several ({@link Request#key()}).
 */
public final class Dimensions extends Request.SourcedKey implements Comparable<Dimensions> {
    static final int MAX = 16;

    private final String name;
    private final String value;
    /* The names after this one, in their natural order; null = this is the last. */
    private final @Nullable Dimensions rest;

    private Dimensions(String name, String value, @Nullable Dimensions rest) {
        this.name = name;
        this.value = value;
        this.rest = rest;
    }

    /**
     * A key with one name.
     *
     * @param value empty = it has none
     * @throws IllegalArgumentException if the name is empty
     * @throws NullPointerException if the name or the value is null
     */
    public static Dimensions of(String name, String value) {
        return new Dimensions(checked(name), Objects.requireNonNull(value, "value"), null);
    }

    /**
     * A key of these names and values.
     *
     * @param namesAndValues 1 to 16 names, each followed by its value; an empty value = it has none
     * @throws IllegalArgumentException if there are no names or more than 16, a name is empty or there twice, or the last one has no
     *     value
     * @throws NullPointerException if a name or a value is null
     */
    public static Dimensions of(String... namesAndValues) {
        int length = namesAndValues.length;
        if (length < 2 || length > 2 * MAX || length % 2 != 0) {
            throw new IllegalArgumentException(
                    "namesAndValues must be 1 to " + MAX + " names, each with its value, were " + length + " strings");
        }
        Dimensions all = of(namesAndValues[0], namesAndValues[1]);
        for (int i = 2; i < length; i += 2) {
            all = all.with(checked(namesAndValues[i]), Objects.requireNonNull(namesAndValues[i + 1], "value"));
        }
        return all;
    }

    static String checked(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name must not be empty");
        }
        return name;
    }

    private Dimensions with(String other, String otherValue) {
        int order = name.compareTo(other);
        if (order == 0) {
            throw new IllegalArgumentException("names must differ, were " + other + " twice");
        }
        if (order > 0) {
            return new Dimensions(other, otherValue, this);
        }
        return new Dimensions(
                name, value, rest == null ? new Dimensions(other, otherValue, null) : rest.with(other, otherValue));
    }

    /** The value of a name; empty if there is no such name, or it has none. */
    public String value(String ofName) {
        for (Dimensions each = this; each != null; each = each.rest) {
            if (each.name.equals(ofName)) {
                return each.value;
            }
        }
        return "";
    }

    /** True if it has this name, with a value or without. */
    public boolean has(String ofName) {
        for (Dimensions each = this; each != null; each = each.rest) {
            if (each.name.equals(ofName)) {
                return true;
            }
        }
        return false;
    }

    /** The number of names. */
    public int size() {
        return rest == null ? 1 : 1 + rest.size();
    }

    /** The names, in their natural order. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        for (Dimensions each = this; each != null; each = each.rest) {
            names.add(each.name);
        }
        return List.copyOf(names);
    }

    /** Each name, followed by its value. */
    List<String> strings() {
        List<String> strings = new ArrayList<>();
        for (Dimensions each = this; each != null; each = each.rest) {
            strings.add(each.name);
            strings.add(each.value);
        }
        return strings;
    }

    /** The chars of all values. */
    int length() {
        int length = 0;
        for (Dimensions each = this; each != null; each = each.rest) {
            length += each.value.length();
        }
        return length;
    }

    long mixed(long seed) {
        long hash = seed;
        for (Dimensions each = this; each != null; each = each.rest) {
            hash = Keys.mixed(Keys.mixed(hash, each.name), each.value);
        }
        return hash;
    }

    /** The value, if there is one name; otherwise these. */
    @Override
    protected Object key() {
        return rest == null ? value : this;
    }

    @Override
    protected Dimensions source() {
        return this;
    }

    @Override
    public int compareTo(Dimensions other) {
        Dimensions mine = this;
        Dimensions its = other;
        while (mine != null && its != null) {
            int byName = mine.name.compareTo(its.name);
            int order = byName != 0 ? byName : mine.value.compareTo(its.value);
            if (order != 0) {
                return order;
            }
            mine = mine.rest;
            its = its.rest;
        }
        return Boolean.compare(mine != null, its != null);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Dimensions dimensions && compareTo(dimensions) == 0;
    }

    @Override
    public int hashCode() {
        int hash = 0;
        for (Dimensions each = this; each != null; each = each.rest) {
            hash = 31 * (31 * hash + each.name.hashCode()) + each.value.hashCode();
        }
        return hash;
    }

    /** The names and values, such as {@code ip=10.0.0.1, user=ann}. */
    @Override
    public String toString() {
        return name + "=" + value + (rest == null ? "" : ", " + rest);
    }
}
