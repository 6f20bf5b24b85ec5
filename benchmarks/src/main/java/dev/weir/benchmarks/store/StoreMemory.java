package dev.weir.benchmarks.store;

/** The memory of a store, as it tells itself. */
interface StoreMemory {
    /** Removes all keys. */
    void forget();

    /** The bytes of all keys and of what is under them. */
    long keyBytes();
}
