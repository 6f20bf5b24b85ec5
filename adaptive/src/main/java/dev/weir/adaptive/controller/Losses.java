package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/** Counts what was lost to load. A call that hangs counts once, not in each window that it outlasts. */
final class Losses {
    private static final long MOST = 1L << 53;

    private long hanging;

    long in(Window window) {
        long before = hanging;
        hanging = sane(window.hung());
        return sane(window.dropped()) + Math.max(0, hanging - before);
    }

    private static long sane(long count) {
        return Math.max(0, Math.min(count, MOST));
    }
}
