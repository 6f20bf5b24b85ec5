package dev.weir.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Removes expired rows, a part of the table at a time, in the order of the names. It reads two rows for each that is written, so that no
 * index by time is needed, which each replacement would have to change. Thread-safe.
 */
final class Sweep {
    private static final int PART = 256;

    /** After their end, so that no statement that began before it finds them gone. */
    private static final long LATER_MICROS = 60_000_000;

    private final String read;
    private final String remove;
    private final AtomicInteger written = new AtomicInteger();
    private final AtomicBoolean isRunning = new AtomicBoolean();
    /* Read and written by the thread that has set isRunning. */
    private volatile String last = "";

    Sweep(String table) {
        read = "SELECT name, version, expires FROM " + table + " WHERE name > ? ORDER BY name LIMIT " + PART;
        remove = "DELETE FROM " + table + " WHERE name = ? AND version = ?";
    }

    /** True if some should be removed, after so many rows were written. */
    boolean isDue(int rows) {
        return written.addAndGet(rows) >= PART / 2;
    }

    /** Removes those of the next part of the table. */
    boolean run(Session session) throws SQLException {
        if (isRunning.compareAndSet(false, true)) {
            try {
                written.addAndGet(-PART / 2);
                removePart(session);
            } finally {
                isRunning.set(false);
            }
        }
        return true;
    }

    private record Expired(String name, long version) {}

    private void removePart(Session session) throws SQLException {
        long before = session.read(List.of(last)).atMicros() - LATER_MICROS;
        List<Expired> expired = new ArrayList<>();
        int rows = 0;
        try (PreparedStatement statement = session.connection().prepareStatement(read)) {
            statement.setString(1, last);
            try (ResultSet results = statement.executeQuery()) {
                for (; results.next(); rows++) {
                    last = results.getString(1);
                    if (results.getLong(3) < before) {
                        expired.add(new Expired(last, results.getLong(2)));
                    }
                }
            }
        }
        last = rows < PART ? "" : last;
        remove(session, expired);
    }

    private void remove(Session session, List<Expired> expired) throws SQLException {
        if (expired.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = session.connection().prepareStatement(remove)) {
            for (Expired row : expired) {
                statement.setString(1, row.name);
                statement.setLong(2, row.version);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }
}
