package dev.weir.jdbc;

import java.time.Duration;

/**
 * For how long a session waits at most.
 *
 * @param lockMillis for the lock of a row
 * @param statementMillis for the end of a statement
 * @param networkMillis for an answer
 */
record Waits(int lockMillis, int statementMillis, int networkMillis) {
    static Waits of(Duration timeout) {
        int millis = (int) timeout.toMillis();
        return new Waits(Math.max(1, millis / 4), millis, millis + millis / 4);
    }
}
