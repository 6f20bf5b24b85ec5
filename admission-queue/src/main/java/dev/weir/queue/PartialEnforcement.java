package dev.weir.queue;

import dev.weir.Permit;
import dev.weir.spi.Gate;
import java.util.function.BiConsumer;

/** The grants to waiters for which the limit is not enforced, where the gate enforces it for a share of requests. Thread-safe. */
final class PartialEnforcement {
    /*
     * A new request is checked on arrival, waiters by the dispatcher once the enforced share has become smaller:
     *
     *     waiter                        thread that lowers the share
     *     is checked: by the old share
     *                                   share := the new one
     *     enters the wait list          runs the dispatcher: checks all that are in it
     *     reads the share
     *
     * so a waiter is checked again after it has entered.
     */
    private final Gate gate;
    private final WaitList waitList;

    /** The share by which all waiters were checked, or a larger one by which some were. */
    private volatile double latest = 1;

    PartialEnforcement(Gate gate, WaitList waitList) {
        this.gate = gate;
        this.waitList = waitList;
    }

    /** Checks all waiters, if that is due, also those behind one that is refused. By one thread at a time. */
    void checkAll(BiConsumer<QueuedRequest, Permit> grant) {
        double share = gate.enforced();
        if (share < latest) {
            waitList.all().stream()
                    .filter(waiter -> waiter.decision() == null)
                    .forEach(waiter -> letThrough(waiter, grant));
        }
        if (share != latest) {
            latest = share;
        }
    }

    /** Checks a waiter that has just entered. */
    void check(QueuedRequest waiter, BiConsumer<QueuedRequest, Permit> grant) {
        double share = gate.enforced();
        if (share > latest) {
            latest = share;
        }
        if (share < 1 && waiter.decision() == null) {
            letThrough(waiter, grant);
        }
    }

    private void letThrough(QueuedRequest waiter, BiConsumer<QueuedRequest, Permit> grant) {
        try {
            Permit permit = gate.letThrough(waiter.request, waiter.requestData(gate));
            if (permit != null) {
                grant.accept(waiter, permit);
            }
        } catch (RuntimeException e) {
            waitList.countFailure();
        }
    }
}
