package dev.weir.testservers;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class DatabasesTest {
    private static void update(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private static long sum(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT coalesce(sum(n), 0) FROM a")) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    @Needs(Server.POSTGRES)
    void postgresHasItsDataAfterAKill() throws Exception {
        try (PostgresServer server = PostgresServer.started()) {
            update(server.url(), "CREATE TABLE a (n int)");
            update(server.url(), "INSERT INTO a VALUES (7)");
            server.kill();
            assertThrows(SQLException.class, () -> sum(server.url()));
            server.start();
            assertEquals(7, sum(server.url()));
            server.pause();
            server.resume();
            assertEquals(7, sum(server.url()));
        }
    }

    @Test
    @Needs(Server.POSTGRES)
    void aReplicaOfPostgresFollowsAndIsPromoted() throws Exception {
        try (PostgresServer server = PostgresServer.started();
                PostgresServer replica = server.replica()) {
            update(server.url(), "CREATE TABLE a (n int)");
            update(server.url(), "INSERT INTO a VALUES (7)");
            await().ignoreExceptions().until(() -> sum(replica.url()) == 7);
            assertThrows(SQLException.class, () -> update(replica.url(), "INSERT INTO a VALUES (1)"));
            replica.kill();
            update(server.url(), "INSERT INTO a VALUES (5)");
            server.kill();
            replica.start();
            replica.promote();
            update(replica.url(), "INSERT INTO a VALUES (1)");
            assertEquals(8, sum(replica.url()), "what was committed last is missing");
        }
    }

    @Test
    @Needs(Server.MARIADB)
    void mariaDbHasItsDataAfterAKill() throws Exception {
        try (MariaDbServer server = MariaDbServer.started()) {
            update(server.url(), "CREATE TABLE a (n int)");
            update(server.url(), "INSERT INTO a VALUES (7)");
            server.kill();
            assertThrows(SQLException.class, () -> sum(server.url()));
            server.start();
            assertEquals(7, sum(server.url()));
            server.pause();
            server.resume();
            assertEquals(7, sum(server.url()));
        }
    }
}
