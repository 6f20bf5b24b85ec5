package dev.weir.succession;

/** A strategy that puts debts beside the rate inside it, and stays itself. */
interface CarriesDebt {
    /** Adds a debt of this many permits. */
    void owe(long permits);

    /** Adds a debt that refills in this many nanoseconds. */
    void oweFor(long nanos);

    /** In how many nanoseconds all debts will have refilled. */
    long debtNanos();

    /** The rate inside it. */
    PartStrategy rate();
}
