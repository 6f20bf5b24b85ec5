package dev.weir.store.state;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.weir.store.Reply;
import org.jspecify.annotations.Nullable;

/**
 * An operation on a state at one instant.
 *
 * @param permits between -2^52 and 2^52; negative only of a refund
 * @param held microseconds since the permits of a refund were granted
 * @param now microseconds
 * @param isJunk whether there are bytes that are no state
 */
record Call(Kind kind, long permits, long held, long now, boolean isJunk) {
    private static final long MILLI = 1_000;

    /** The operations, told apart by what a limit by cost does. */
    enum Kind {
        ACQUIRE,
        ACQUIRE_UP_TO,

        /** Takes all or none; more than is ever free if nothing is used, which leaves a debt. */
        ACQUIRE_ONCE,

        CHARGE,

        /** Counts as a charge; of a window, what is beyond the limit is a debt that outlives it. */
        OVERDRAW
    }

    private boolean takesAll() {
        return kind == Kind.ACQUIRE || kind == Kind.ACQUIRE_ONCE;
    }

    /** True if more is asked for than is ever free, which is granted if nothing is used. */
    boolean isOver(long largest) {
        return kind == Kind.ACQUIRE_ONCE && permits > largest;
    }

    /** True if more is asked for than is ever granted. */
    boolean isNever(long largest) {
        return kind == Kind.ACQUIRE && permits > largest;
    }

    /** The permits to take of those there is room for. */
    long taken(long room, long largest, long reset) {
        if (isOver(largest)) {
            return reset == 0 ? permits : 0;
        } else if (takesAll()) {
            return permits <= room ? permits : 0;
        }
        return kind == Kind.ACQUIRE_UP_TO ? Math.min(permits, room) : permits;
    }

    /** For how many permits a wait is told: for one more, unless all or none are granted. */
    long wanted() {
        return takesAll() ? permits : 1;
    }

    /**
     * The step of a call that was decided.
     *
     * @param state null = it stays as it is
     * @param counts microseconds for which the state is kept
     * @param wait microseconds, told if not all was granted
     */
    StateStep answer(byte @Nullable [] state, long counts, long granted, Figures figures, long wait) {
        boolean charges = kind == Kind.CHARGE || kind == Kind.OVERDRAW;
        boolean isAll = granted > 0 && granted == permits && !charges;
        return step(state, counts, granted, figures, isAll ? 0 : MICROSECONDS.toNanos(wait));
    }

    StateStep never(Figures figures) {
        return step(null, 0, 0, figures, Reply.NEVER);
    }

    private StateStep step(byte @Nullable [] state, long counts, long granted, Figures figures, long retry) {
        long healed = isJunk && state != null ? 1 : 0;
        Reply reply = new Reply(
                Math.max(0, granted),
                figures.room(),
                figures.limit(),
                MICROSECONDS.toNanos(figures.reset()),
                retry,
                healed,
                now);
        return new StateStep(state, state == null ? 0 : (counts / MILLI + 1) * MILLI, reply);
    }

    /**
     * The figures of the limit that decided.
     *
     * @param reset microseconds
     */
    record Figures(long room, long limit, long reset) {}
}
