package dev.weir.store.state;

import org.jspecify.annotations.Nullable;

/** The end of a command for one key: one of the two. */
record Told(@Nullable Stored stored, @Nullable Throwable thrown) {}
