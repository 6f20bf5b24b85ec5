package dev.weir.queue;

import dev.weir.Permit;
import dev.weir.spi.Gate;
import java.util.function.BiConsumer;

/** Finds out which of those who wait are let through, because the limit is not enforced for them. Thread-safe. */
final class Judge {
    /*
     * A newcomer is judged when it comes, those who wait by whoever asks, once the enforced share has become smaller:
     *
     *     waiter                        who enforces less
     *     is judged: by the old share
     *                                   share := the new one
     *     enters the line               has the line asked: judges those who are in it
     *     reads the share
     *
     * so one that enters is judged again.
     */
    private final Gate gate;
    private final Line line;

    /** The share by which all who wait were judged, or a larger one by which some were. */
    private volatile double latest = 1;

    Judge(Gate gate, Line line) {
        this.gate = gate;
        this.line = line;
    }

    /** Whether a smaller share is enforced than when all were judged. */
    boolean isDue() {
        return gate.enforced() < latest;
    }

    /** Judges all who wait, if that is due: those behind one that is refused as well. By one thread at a time. */
    void judgeAll(BiConsumer<Waiter, Permit> passes) {
        double share = gate.enforced();
        if (share < latest) {
            line.waiting().stream()
                    .filter(waiter -> waiter.ending() == null)
                    .forEach(waiter -> letThrough(waiter, passes));
        }
        if (share != latest) {
            latest = share;
        }
    }

    /** Judges one that has just entered. */
    void judge(Waiter waiter, BiConsumer<Waiter, Permit> passes) {
        double share = gate.enforced();
        if (share > latest) {
            latest = share;
        }
        if (share < 1 && waiter.ending() == null) {
            letThrough(waiter, passes);
        }
    }

    private void letThrough(Waiter waiter, BiConsumer<Waiter, Permit> passes) {
        try {
            Permit permit = gate.letThrough(waiter.request, waiter.keptBy(gate));
            if (permit != null) {
                passes.accept(waiter, permit);
            }
        } catch (RuntimeException e) {
            line.failed();
        }
    }
}
