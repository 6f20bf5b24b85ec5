package dev.weir.store.state;

import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;

/** The pauses of one instance between its replacements of a key, so that others have their turn. Not thread-safe. */
final class Turns {
    /*
     * Of two instances that replace a key in turns as fast as they can, one loses each time: the answer that tells it the version comes
     * as late as the one that tells the other that it has won. To wait after a loss makes it worse, since the version is older then. So
     * the one that has won waits: for about as many commands as it has lost, and, since it cannot know of others while it wins each
     * time, for one command after some of them.
     *
     * An instance that is farther from the store than others loses to all of them, since its version is the oldest. So there is a quiet
     * time by the clock of the store, which all know: at the start of a period only those replace that have lost for long.
     *
     *     far instance                         near instances
     *     is late; sends                       quiet time begins: they wait
     *     loses; learns the version
     *     sends; wins
     *                                          quiet time ends: one of them loses, and knows that there is contention
     *
     * It is as long as some commands of the one that waits, so that it is long enough for those that are some times as far, and at most
     * an eighth of the period. A round trip of more than half of it does not always fit in, and none that takes longer does.
     *
     * One that knows of no contention and sends one command after the other waits in each sixteenth period only, to find out.
     */
    private static final long QUIET_MICROS = 1 << 13;
    private static final long QUIET_COMMANDS = 16;
    private static final long PERIOD_MICROS = 1 << 16;
    private static final long PERIOD_ALONE_MICROS = 1 << 20;

    /** A call that has lost for so long does not wait for the end of the quiet time. */
    static final long LATE_NANOS = 16_000_000;

    private static final long CONTENDED_NANOS = 2_000_000_000;

    private static final int ROW = 8;
    private static final long MOST_NANOS = 50_000_000;

    private final LongUnaryOperator random;
    private int row;
    private long sent;
    private long took;
    private long wonAt;
    private long rest;
    private boolean isContended;
    private long contendedAt;

    /** {@code random}: a number below the given one, and not below 0. */
    Turns(LongUnaryOperator random) {
        this.random = random;
    }

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
        took = Math.max(0, now - sent);
        row = losses == 0 ? row + 1 : 0;
        int commands = losses > 0 ? losses : row % ROW == 0 ? 1 : 0;
        long pause = Math.min(MOST_NANOS, took * commands);
        if (losses > 0) {
            isContended = true;
            contendedAt = now;
        }
        wonAt = now;
        rest = pause == 0 ? 0 : pause / 2 + random.applyAsLong(pause);
    }

    /** Nanoseconds until the next command may be sent; 0 = now. */
    long rest(long now) {
        return Math.max(0, rest - Math.max(0, now - wonAt));
    }

    /** Nanoseconds until the quiet time is over, if the clock of the store shows this; 0 = there is none for this instance. */
    long quiet(long now, long micros) {
        isContended = isContended && now - contendedAt < CONTENDED_NANOS;
        boolean isBusy = row >= ROW && now - wonAt < took;
        if (!isContended && !isBusy) {
            return 0;
        }
        long phase = micros & ((isContended ? PERIOD_MICROS : PERIOD_ALONE_MICROS) - 1);
        long quiet = Math.min(QUIET_MICROS, TimeUnit.NANOSECONDS.toMicros(took) * QUIET_COMMANDS);
        return Math.max(0, TimeUnit.MICROSECONDS.toNanos(quiet - phase));
    }
}
