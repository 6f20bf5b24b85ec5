package dev.weir.jdbc;

import dev.weir.testservers.MariaDbServer;
import dev.weir.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A database that a test uses, and what ends it. */
record Database(String url, Runnable end) implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("(?<=//127[.]0[.]0[.]1:)\\d+");

    static Database postgres() {
        PostgresServer server = PostgresServer.started();
        return new Database(server.url(), server::close);
    }

    static Database mariaDb() {
        MariaDbServer server = MariaDbServer.started();
        return new Database(server.url(), server::close);
    }

    /** In this process. */
    static Database h2(String... settings) {
        String all = String.join("", settings);
        return new Database("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1" + all, () -> {});
    }

    /** For several processes. */
    static Database h2Server() {
        try {
            Server server =
                    Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
            String url =
                    "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
            return new Database(url, server::stop);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Of one that runs as a server. */
    int port() {
        Matcher port = PORT.matcher(url);
        if (!port.find()) {
            throw new IllegalStateException("no server: " + url);
        }
        return Integer.parseInt(port.group());
    }

    /** The same database, by a proxy before its server. */
    DataSource sourceAt(int port) {
        return source(PORT.matcher(url).replaceFirst(String.valueOf(port)));
    }

    DataSource source() {
        return source(url);
    }

    static DataSource source(String url) {
        try {
            if (url.startsWith("jdbc:postgresql:")) {
                PGSimpleDataSource source = new PGSimpleDataSource();
                source.setUrl(url);
                source.setLoginTimeout(2);
                source.setTcpKeepAlive(true);
                return source;
            } else if (url.startsWith("jdbc:mariadb:")) {
                return new MariaDbDataSource(url + "&connectTimeout=2000");
            }
            JdbcDataSource source = new JdbcDataSource();
            source.setUrl(url);
            return source;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        end.run();
    }
}
