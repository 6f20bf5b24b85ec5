package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.spi.Strategy;

/** A strategy whose permits all stand in one {@link InFlight}, which its successor takes over. */
interface Counting extends Strategy {
    /** The count. */
    InFlight counter();

    @Override
    default void release(Request request, Outcome outcome) {
        counter().release(request.permits());
    }

    @Override
    default long limit() {
        return counter().limit();
    }

    @Override
    default void setLimit(long limit) {
        counter().setLimit(limit);
    }

    @Override
    default long inFlight() {
        return counter().count();
    }

    /** The counter of a running strategy with this limit, or a new one if it had none to hand on. */
    static InFlight handedOn(Strategy running, long limit) {
        if (running instanceof Counting counting) {
            counting.counter().setLimit(limit);
            return counting.counter();
        }
        return new InFlight(limit);
    }
}
