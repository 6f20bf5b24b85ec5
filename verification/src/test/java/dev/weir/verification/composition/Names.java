package dev.weir.verification.composition;

import dev.weir.Request;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.Keyed;
import dev.weir.testkit.Composition.By;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of the dimensions by which a limit counts.
 *
 * @param names empty = the whole key
 */
record Names(List<String> names) implements By {
    static final Names WHOLE_KEY = new Names(List.of());

    private static Names of(String... names) {
        return new Names(List.of(names));
    }

    /** A limit by these names. */
    Keyed by(Keyed limit) {
        return limit.by(names.toArray(String[]::new));
    }

    /** Names that have accounts of their own. */
    static final List<Names> SOME = List.of(of("user"), of("tenant"), of("url"), of("tenant", "user"), WHOLE_KEY);

    /** The key of a caller by number, of 4 users, 2 tenants and 3 urls; few are of no tenant and have no url. */
    static Dimensions caller(int number) {
        String user = "user" + number % 4;
        return number > 4 && number % 4 == 3
                ? Dimensions.of("user", user)
                : Dimensions.of("user", user, "tenant", "tenant" + number % 2, "url", "url" + number % 3);
    }

    @Override
    public @Nullable Object keyOf(Request request) {
        if (names.isEmpty()) {
            return request.key();
        }
        List<String> found = new ArrayList<>();
        for (String name : names) {
            String value = value(request, name);
            if (value == null) {
                return null;
            }
            found.add(value);
        }
        return found;
    }

    /** The value of a dimension of a caller; null if it has none. */
    static @Nullable String value(Request request, String name) {
        Object key = request.source() == null ? request.key() : request.source();
        return key instanceof Dimensions dimensions && dimensions.has(name) ? dimensions.value(name) : null;
    }
}
