package dev.weir.jdbc;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Versions that no other store draws, nor this one again: 63 random bits. Numbers that rise by one would come again when a row was removed,
 * or when a server lost its last writes. Thread-safe.
 */
final class Versions {
    /** Odd, so that all 64 bits come before one comes again; as in SplittableRandom. */
    private static final long STEP = 0x9e3779b97f4a7c15L;

    private final AtomicLong last = new AtomicLong(new SecureRandom().nextLong());

    /** At least 1. */
    long next() {
        return Math.max(1, mixed(last.addAndGet(STEP)) >>> 1);
    }

    private static long mixed(long bits) {
        long one = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
        long two = (one ^ (one >>> 27)) * 0x94d049bb133111ebL;
        return two ^ (two >>> 31);
    }
}
