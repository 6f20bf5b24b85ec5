package dev.weir.adaptive.controller;

/** The phases of {@link Crest}. */
enum Phase {
    /** The limit does not bind; it is high enough for bursts that drain by themselves. */
    CALM,
    /** The limit is doubled as long as throughput grows with it. */
    RAMP,
    /** The limit is above the knee, for as many windows as nothing changes, eight at most. */
    HIGH,
    /** The limit is just below the knee, or where latency hints, for one window. */
    LOW
}
