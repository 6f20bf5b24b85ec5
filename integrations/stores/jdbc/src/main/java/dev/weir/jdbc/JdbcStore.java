package dev.weir.jdbc;

import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateStore;
import dev.weir.store.state.Stored;
import java.util.List;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;

/**
 * A table of PostgreSQL (12 or newer), MariaDB (10.5 or newer) or H2 (2.0 or newer) that holds the state of limits for all instances.
 *
 * <p>JDBC blocks, callers do not: a few threads of the store wait for the database, each with one connection, which it returns
 * to the source after 10 s without a call. Up to 1,024 calls wait for a thread; more fail at once. Each statement commits by itself, so no
 * lock is held while an answer is on its way. The clock is that of the database. Rows that have expired are removed in passing.
 *
 * <p>The {@code DataSource} should be one that gives connections of a pool, of at least as many connections as the store has threads, and
 * must give one or throw in bounded time also while the server does not answer: set its time-outs.
 *
 * <pre>{@code
 * JdbcStore store = JdbcStore.builder(dataSource).createTable().build();
 * Store limits = new StateLimits(store);
 * AsyncLimiter limiter = limits.limiter("login", TokenBucket.of(100, Duration.ofSeconds(1)), Mode.exact(), WhenAway.local(8));
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class JdbcStore implements StateStore, AutoCloseable {
    private final JdbcThreads workers;
    private final Sweep sweep;
    private final Versions versions = new Versions();

    JdbcStore(SessionSource sessions, int threads) {
        workers = new JdbcThreads(sessions, threads);
        sweep = new Sweep(sessions.table());
    }

    /**
     * A store with the options of {@link JdbcStoreBuilder} as by default: its table must be there.
     *
     * @param dataSource stays open
     */
    public static JdbcStore of(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * The options of a store.
     *
     * @param dataSource stays open
     */
    public static JdbcStoreBuilder builder(DataSource dataSource) {
        return new JdbcStoreBuilder(dataSource);
    }

    @Override
    public CompletionStage<List<Stored>> read(List<String> names) {
        List<String> copy = List.copyOf(names);
        return workers.call(session -> {
            Rows rows = session.read(copy);
            return copy.stream().map(rows::stored).toList();
        });
    }

    @Override
    public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
        List<Replacement> copy = List.copyOf(replacements);
        long[] fresh = copy.stream().mapToLong(one -> versions.next()).toArray();
        return workers.call(session -> {
            List<Stored> stored = session.replace(new Replacements(copy, fresh));
            if (sweep.isDue(stored.size())) {
                workers.call(sweep::run);
            }
            return stored;
        });
    }

    /**
     * Fails the calls that wait and all later ones, waits for those that are on their way, at most for their time-out, and returns the
     * connections. The source stays open. Closing it again does nothing.
     */
    @Override
    public void close() {
        workers.close();
    }
}
