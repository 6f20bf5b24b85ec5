package dev.weir.benchmarks.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A database that holds the states of limits. */
record Database(String url) implements StoreMemory {
    /** H2 in this process. */
    static final Database H2 = new Database("jdbc:h2:mem:bench;DB_CLOSE_DELAY=-1");

    static DataSource source(String url) {
        if (url.startsWith("jdbc:postgresql:")) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url);
            return source;
        }
        JdbcDataSource source = new JdbcDataSource();
        source.setUrl(url);
        return source;
    }

    @Override
    public void forget() {
        query("DROP TABLE IF EXISTS weir_state; SELECT 0");
    }

    /** The rows without their pages and their index. */
    @Override
    public long keyBytes() {
        return query("SELECT sum(pg_column_size(t.*)) FROM weir_state AS t");
    }

    private long query(String sql) {
        try (Connection connection = source(url).getConnection();
                Statement statement = connection.createStatement()) {
            boolean isRows = statement.execute(sql);
            while (!isRows) {
                isRows = statement.getMoreResults();
            }
            try (ResultSet rows = statement.getResultSet()) {
                rows.next();
                return rows.getLong(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
