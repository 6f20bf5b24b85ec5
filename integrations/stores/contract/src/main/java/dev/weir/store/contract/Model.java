package dev.weir.store.contract;

/**
 * The answers of a limit, computed slowly. The server's time is in microseconds. A state changes only when permits are taken
 * or refunded, and when the time is before the last change: then that change counts as made now.
 */
public interface Model {
    /** Moves to the time of a request. */
    void moveTo(long now);

    /** Permits that can be granted now. */
    long room();

    /** The number of requests for one permit that can be granted now. */
    default long oneByOne() {
        return room();
    }

    /** Permits of a window that count now, also beyond its limit. */
    default long used() {
        throw new UnsupportedOperationException();
    }

    /** Microseconds until n permits can be granted. */
    long waitFor(long permits);

    /** Takes permits, or refunds them. */
    void take(long permits);

    /** Told of a request that was refused, or charged beyond what was left. */
    default void exceeded() {}

    long reset();

    long largest();

    long limit();

    /** Computes what a store must answer. */
    default ModelAnswer answer(int operation, long permits, long now) {
        moveTo(now);
        if (operation == ModelAnswer.ACQUIRE && permits > largest()) {
            return new ModelAnswer(0, room(), limit(), reset(), -1);
        }
        long room = room();
        long granted = switch (operation) {
            case ModelAnswer.ACQUIRE -> permits <= room ? permits : 0;
            case ModelAnswer.ACQUIRE_UP_TO -> Math.min(permits, oneByOne());
            default -> permits;
        };
        if (granted != 0) {
            take(granted);
        }
        if (permits > 0 && (granted < permits || granted > room)) {
            exceeded();
        }
        long wanted = operation == ModelAnswer.ACQUIRE ? permits : 1;
        long retry = operation != ModelAnswer.CHARGE && granted > 0 && granted == permits ? 0 : waitFor(wanted);
        return new ModelAnswer(Math.max(0, granted), room(), limit(), reset(), retry);
    }
}
