package dev.weir.named.recorder;

import org.jspecify.annotations.Nullable;

/** Requests in the order in which they came, for one reader: {@link #next} moves to the first, and then to each other one. */
interface Traffic {
    /** Moves to the next request; false if there is none. */
    boolean next();

    /** When it came, in nanoseconds since the start. */
    long at();

    /** For how long its permit is held. */
    long holdNanos();

    /** Its key; null = not known. */
    @Nullable
    String key();
}
