package dev.weir.jdbc;

import dev.weir.internal.Require;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** The options of a {@link JdbcStore}. Not thread-safe. */
public final class JdbcStoreBuilder {
    static final Duration LONGEST = Duration.ofSeconds(10);

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final int MOST_THREADS = 256;
    private static final Pattern TABLE =
            Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}(?:[.][A-Za-z_][A-Za-z0-9_]{0,62}){0,2}");

    private final DataSource source;
    private String table = "weir_state";
    private int threads = 4;
    private Duration timeout = Duration.ofSeconds(1);
    private boolean createsTable;

    JdbcStoreBuilder(DataSource source) {
        this.source = Objects.requireNonNull(source, "dataSource");
    }

    /**
     * The table of the values. Stores of one table share their limits. Default: {@code "weir_state"}. Each call fails if its column {@code
     * name} does not tell names apart that differ in case, accents or trailing spaces.
     *
     * @param name letters of ASCII, digits and underscores, with a schema before a dot if that is needed: it becomes a part of statements,
     *     unquoted
     * @throws IllegalArgumentException if the name has other characters
     */
    public JdbcStoreBuilder table(String name) {
        String rule = "table must be letters, digits, underscores and dots";
        Require.that(TABLE.matcher(name).matches(), rule, "\"" + name + "\"");
        table = name;
        return this;
    }

    /** Creates the table before the first statement if it is not there. By default, it has to be there. */
    public JdbcStoreBuilder createTable() {
        createsTable = true;
        return this;
    }

    /**
     * The number of threads that wait for the database, and of connections that the store uses at most. Default: 4.
     *
     * @throws IllegalArgumentException if it is not within 1 and 256
     */
    public JdbcStoreBuilder threads(int number) {
        boolean isInRange = number >= 1 && number <= MOST_THREADS;
        Require.that(isInRange, "threads must be >= 1 and <= " + MOST_THREADS, number);
        threads = number;
        return this;
    }

    /**
     * For how long a statement runs at most; a quarter of it for how long it waits for a lock. A stage completes at the latest after this
     * time and a quarter. The database ends what takes longer. Default: one second. The time-out of a limiter, which is shorter, bounds
     * how long a caller waits.
     *
     * @throws IllegalArgumentException if it is not within 10 ms and 10 s
     */
    public JdbcStoreBuilder timeout(Duration longest) {
        boolean isInRange = longest.compareTo(SHORTEST) >= 0 && longest.compareTo(LONGEST) <= 0;
        Require.that(isInRange, "timeout must be >= " + SHORTEST + " and <= " + LONGEST, longest);
        timeout = longest;
        return this;
    }

    /** A store. Its threads connect when they are needed first. */
    public JdbcStore build() {
        return new JdbcStore(new SessionSource(source, table, Waits.of(timeout), createsTable), threads);
    }
}
