package dev.weir;

/**
 * A source of elapsed nanoseconds with an arbitrary origin: two readings mean something only by their difference, which
 * may wrap. Implementations are thread-safe, never block, and do not run backwards between threads.
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
