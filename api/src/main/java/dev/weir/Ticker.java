package dev.weir;

/**
 * A source of elapsed nanoseconds with an arbitrary origin: two readings mean something only by their difference, which
 * may wrap. Implementations are thread-safe, never block, and do not run backwards between threads.
 *
 * <p>Do not make one of the time of day, which may be set back. If a ticker is set back all the same, no limit grants more; but
 * requests that wait as futures or as tasks end only when it has caught up, because their timeouts are compared with it.
 * Threads that block measure their own time then, and end in time. {@link #system} never runs back.
 */
@FunctionalInterface
public interface Ticker {
    /** The current reading in nanoseconds. */
    long read();

    /** The ticker over {@link System#nanoTime()}. */
    static Ticker system() {
        return SystemTicker.INSTANCE;
    }
}

enum SystemTicker implements Ticker {
    INSTANCE;

    @Override
    public long read() {
        return System.nanoTime();
    }
}
