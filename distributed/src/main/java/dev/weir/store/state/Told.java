package dev.weir.store.state;

import org.jspecify.annotations.Nullable;

/** The end of a command for one key: one of the two, or nothing was sent because its calls were cancelled. */
record Told(@Nullable Stored stored, @Nullable Throwable thrown) {
    static final Told NOTHING = new Told(null, null);
}
