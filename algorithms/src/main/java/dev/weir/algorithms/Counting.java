package dev.weir.algorithms;

import dev.weir.spi.InFlight;
import dev.weir.spi.Strategy;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A strategy whose permits all stand in one {@link InFlight}, which its successor takes over. */
interface Counting extends Strategy {
    /** The count. */
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
    default long inFlight() {
        return counter().inFlight();
    }

    /** The counter of a running strategy with this limit, or a new one if it had none to hand on. */
    static InFlight handedOn(Strategy running, long limit) {
        InFlight counter = behind(running);
        if (counter == null) {
            return new InFlight(limit);
        }
        counter.setLimit(limit);
        return counter;
    }

    private static @Nullable InFlight behind(Strategy running) {
        if (running instanceof InFlight counter) {
            return counter;
        }
        if (running instanceof Counting counting) {
            return counting.counter();
        }
        if (running instanceof Around around) {
            return around.handOver().stream()
                    .map(Counting::behind)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }
        return null;
    }

    /** A strategy around others, which may pass to a successor without it. */
    interface Around extends Strategy {
        /** The strategies inside; from now on this one turns none of their limits. */
        List<Strategy> handOver();
    }
}
