package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * A counter of calls lost to overload for a controller that also takes a call that hangs as a loss: those released as
 * {@code DROPPED}, and each that hangs, once and not in every window. {@link Cut} does not: for it only {@code DROPPED} is a
 * loss.
 */
final class Losses {
    private static final long MAX = 1L << 53;

    private long hanging;

    long in(Window window) {
        long before = hanging;
        hanging = clamped(window.hung());
        return clamped(window.dropped()) + Math.max(0, hanging - before);
    }

    private static long clamped(long count) {
        return Math.max(0, Math.min(count, MAX));
    }
}
