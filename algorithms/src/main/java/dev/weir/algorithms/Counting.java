package dev.weir.algorithms;

import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartStrategy;

/** A concurrency limit that counts all its permits in one {@link InFlight}. */
interface Counting extends PartStrategy {
    @Override
    InFlight counter();

    @Override
    default long limit() {
        return counter().limit();
    }

    @Override
    default void setLimit(long limit) {
        counter().setLimit(limit);
    }

    @Override
    default Quota quota(Request request) {
        return counter().quota(0);
    }

    /** Sets the limit of a running strategy; always true. */
    static boolean adjusted(Strategy running, long limit) {
        running.setLimit(limit);
        return true;
    }
}
