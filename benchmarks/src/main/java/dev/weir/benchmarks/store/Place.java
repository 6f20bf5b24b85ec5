package dev.weir.benchmarks.store;

/** Where the store of a row is. */
enum Place {
    /** A Redis on this machine. */
    REDIS,
    /** The same, a millisecond away. */
    FAR,
    /** A PostgreSQL on this machine. */
    POSTGRES,
    /** An H2 in this process. */
    H2;

    /** True if the processor time that Redis uses is that of the row. */
    boolean isRedis() {
        return this == REDIS || this == FAR;
    }
}
