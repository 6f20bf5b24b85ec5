package dev.weir.store.internal;

import dev.weir.Ticker;

/**
 * The commands on their way to one place. While two are, calls wait for one of them to end, and go together in the next. They do
 * not wait if they fill a command, nor while commands are few: a part of them goes beside the two, {@value #BESIDE} at once and
 * 4,000 a second. Not thread-safe.
 */
public final class Outgoing {
    /** So many commands are always on their way before calls wait: the place has the next one when it has done the first. */
    public static final int COMMANDS = 2;

    /** The most commands beside these at once, after a pause. */
    public static final int BESIDE = 16;

    private static final long BESIDE_NANOS = 250_000;

    private final Ticker ticker;
    private final int together;
    private int onTheirWay;
    /* What is between it and now is the credit of commands beside. */
    private long spent;

    /** {@code together}: the most calls of one command. */
    public Outgoing(Ticker ticker, int together) {
        this.ticker = ticker;
        this.together = together;
        this.spent = ticker.read() - BESIDE * BESIDE_NANOS;
    }

    /** Counts one more command if it may go now. */
    public boolean begin(int waiting) {
        if (onTheirWay >= COMMANDS && waiting < together && !spend()) {
            return false;
        }
        onTheirWay++;
        return true;
    }

    private boolean spend() {
        long now = ticker.read();
        if (now - spent < BESIDE_NANOS) {
            return false;
        }
        long oldest = now - BESIDE * BESIDE_NANOS;
        spent = (spent - oldest < 0 ? oldest : spent) + BESIDE_NANOS;
        return true;
    }

    /** One of them has ended. */
    public void end() {
        onTheirWay--;
    }

    public boolean isIdle() {
        return onTheirWay == 0;
    }
}
