package dev.weir.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** The time until which a limiter refuses all requests: of several, the latest. Ends by itself. Thread-safe. */
final class Suspension {
    /*
     * It is published with the instrumentation of the limiter, so that admission takes the long way, which reads the end. A later
     * end is set here, without a lock. The first request that finds the end passed seals it, and then has it removed under the
     * lock of changes, so that admission takes the short way again:
     *
     *     suspendFor                     request
     *     reads the end: it has passed   reads the end: it has passed
     *     end := a later one (a CAS)
     *                                    end := SEALED (a CAS): fails, reads it again: refuses
     *
     *     suspendFor                     request
     *                                    end := SEALED (a CAS)
     *     finds it sealed
     *     publishes another one
     *                                    removes this one, which is not there any more: nothing
     *
     * So no suspension is lost: after the seal nobody sets an end, and only what is sealed is removed. Other requests that find it
     * sealed are not refused, and go on by the long way until it is removed.
     */
    private static final End SEALED = new End(0, "");

    /** 73 years. Two ends and a reading of the ticker are less than 292 years apart, so their differences do not overflow. */
    private static final long LONGEST = 1L << 61;

    private record End(long at, String why) {}

    private final AtomicReference<End> reference;

    Suspension(long now, long nanos, String why) {
        reference = new AtomicReference<>(new End(now + nanos, why));
    }

    /** The nanoseconds that are counted of a time: 0 to 73 years. */
    static long nanos(Duration time) {
        if (time.isNegative()) {
            return 0;
        }
        return time.toSeconds() >= LONGEST / 1_000_000_000 ? LONGEST : time.toNanos();
    }

    /** True once it has ended, and nothing prolongs it any more. */
    boolean isSealed() {
        return end() == SEALED;
    }

    /** Sets a later end. Returns false if the present one is as late, or this is sealed. */
    boolean prolong(long now, long nanos, String why) {
        long later = now + nanos;
        End next = null;
        for (; ; ) {
            End present = end();
            if (present == SEALED || later - present.at <= 0) {
                return false;
            }
            next = next == null ? new End(later, why) : next;
            if (reference.compareAndSet(present, next)) {
                return true;
            }
        }
    }

    /** The nanoseconds that are left; not positive once it has ended. */
    long leftNanos(long now) {
        End present = end();
        return present == SEALED ? 0 : present.at - now;
    }

    /** Seals it if it has ended: true for one caller. */
    boolean seal(long now) {
        End present = end();
        return present != SEALED && present.at - now <= 0 && reference.compareAndSet(present, SEALED);
    }

    /** Why it was suspended for so long. */
    String why() {
        return end().why;
    }

    private End end() {
        return Objects.requireNonNull(reference.get());
    }
}
