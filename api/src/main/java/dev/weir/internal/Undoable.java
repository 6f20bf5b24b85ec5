package dev.weir.internal;

import dev.weir.Outcome;
import dev.weir.Permit;

/** A permit that can be undone: all that it spent is refunded, whether its request asked for that or not. Thread-safe. */
public interface Undoable {
    /** Releases the permit as {@link Outcome#CANCELLED}, and refunds what has not refilled. Does nothing if it was released. */
    void undo();

    /** Undoes the grant of a permit that no caller has received, or of work that will not start. */
    static void undo(Permit permit) {
        if (permit instanceof Undoable own) {
            own.undo();
        } else {
            permit.release(Outcome.CANCELLED);
        }
    }
}
