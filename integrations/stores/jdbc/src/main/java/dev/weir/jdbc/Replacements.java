package dev.weir.jdbc;

import dev.weir.store.state.Replacement;
import dev.weir.store.state.Stored;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Replacements and the versions that they write, as parameters of a statement and with its answers. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record Replacements(List<Replacement> all, long[] versions) {
    /** The indexes, in the order of the names. */
    List<Integer> inOrder() {
        return IntStream.range(0, versions.length)
                .boxed()
                .sorted(Comparator.comparing(i -> all.get(i).name()))
                .toList();
    }

    /**
     * Sets six parameters, by the order of the names: them, the versions that are replaced, the states, the times, the times to live, the
     * new versions.
     */
    void setArrays(PreparedStatement statement, String text, String number, String bytes, long moreTtl)
            throws SQLException {
        Connection connection = statement.getConnection();
        List<Integer> order = inOrder();
        List<Replacement> ordered = order.stream().map(all::get).toList();
        byte[][] states = ordered.stream().map(Replacement::state).toArray(byte[][]::new);
        statement.setArray(1, connection.createArrayOf(text, values(ordered, Replacement::name)));
        statement.setArray(2, connection.createArrayOf(number, values(ordered, Replacement::version)));
        statement.setArray(3, connection.createArrayOf(bytes, states));
        statement.setArray(4, connection.createArrayOf(number, values(ordered, Replacement::atMicros)));
        statement.setArray(5, connection.createArrayOf(number, values(ordered, one -> one.ttlMicros() + moreTtl)));
        statement.setArray(6, connection.createArrayOf(number, values(order, i -> versions[i])));
    }

    private static <T> Object[] values(List<T> all, Function<T, Object> value) {
        return all.stream().map(value).toArray();
    }

    /** The names of those that were not made, although what is there in their place does not say why. */
    List<String> lost(Rows rows) {
        List<Stored> stored = stored(rows);
        return names(i -> !stored.get(i).isReplaced()
                && stored.get(i).version() == all.get(i).version()
                && stored.get(i).atMicros() >= all.get(i).atMicros());
    }

    /** The names of those that these rows do not show as made. */
    List<String> notIn(Rows rows) {
        return names(i -> !rows.has(all.get(i).name(), versions[i]));
    }

    private List<String> names(IntPredicate those) {
        return IntStream.range(0, versions.length)
                .filter(those)
                .mapToObj(i -> all.get(i).name())
                .toList();
    }

    /** Reads from these rows of each that it was made, or the value that is there in its place. */
    List<Stored> stored(Rows rows) {
        List<Stored> stored = new ArrayList<>(versions.length);
        for (int i = 0; i < versions.length; i++) {
            Replacement one = all.get(i);
            stored.add(
                    rows.has(one.name(), versions[i])
                            ? Stored.replaced(one, versions[i], rows.atMicros())
                            : rows.stored(one.name()));
        }
        return stored;
    }
}
