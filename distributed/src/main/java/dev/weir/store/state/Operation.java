package dev.weir.store.state;

/** What is done with the permits of one key. */
public enum Operation {
    /** Takes all permits or none. */
    ACQUIRE,

    /** Takes as many of the permits as so many requests for one permit would be granted. */
    ACQUIRE_UP_TO,

    /** Counts permits also beyond the limit. A negative number refunds. */
    CHARGE,

    /** Refunds permits of a limit by cost, as far as they still count. */
    REFUND
}
