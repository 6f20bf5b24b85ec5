package dev.weir.benchmarks.store;

/** What a store says of its memory. */
interface StoreMemory {
    /** Removes all keys. */
    void forget();

    /** The bytes of all keys and of what is under them. */
    long keyBytes();
}
