package dev.weir.store.state;

import java.util.function.LongUnaryOperator;

/** The pauses of one instance between its replacements of a key, so that others have their turn. Not thread-safe. */
final class Turns {
    /*
     * Of two instances that replace a key in turns as fast as they can, one loses each time: the answer that tells it the version comes
     * as late as the one that tells the other that it has won. To wait after a loss makes it worse, since the version is older then. So
     * the one that has won waits: for about as many commands as it has lost, and, since it cannot know of others while it wins each
     * time, for one command after some of them.
     */

    private static final int ROW = 8;
    private static final long MOST_NANOS = 50_000_000;

    private final LongUnaryOperator random;
    private int row;
    private long sent;
    private long wonAt;
    private long rest;

    /** {@code random}: a number below the given one, and not below 0. */
    Turns(LongUnaryOperator random) {
        this.random = random;
    }

    /** A command was sent. */
    void sent(long now) {
        sent = now;
    }

    /** The time of the command that has ended, and half as much: the next one hardly takes longer. */
    long longest(long now) {
        long last = Math.max(0, now - sent);
        return last + last / 2;
    }

    /** Its replacement was made, after so many were not. */
    void won(int losses, long now) {
        row = losses == 0 ? row + 1 : 0;
        int commands = losses > 0 ? losses : row % ROW == 0 ? 1 : 0;
        long pause = Math.min(MOST_NANOS, Math.max(0, now - sent) * commands);
        wonAt = now;
        rest = pause == 0 ? 0 : pause / 2 + random.applyAsLong(pause);
    }

    /** Nanoseconds until the next command may be sent; 0 or less = now. */
    long rest(long now) {
        return rest - Math.max(0, now - wonAt);
    }
}
