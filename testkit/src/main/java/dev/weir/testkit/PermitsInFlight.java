package dev.weir.testkit;

import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.Composition.Part;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The number of permits in flight that were granted under a concurrency limit: of all requests, and by key. */
final class PermitsInFlight {
    private static final Object ALL = "all requests";
    private static final int CHECK_EVERY = 8;

    /** A granted request, and the counts that it was added to: those of the composition in force at that time. */
    record Entry(Request request, boolean isCounted, boolean isCountedByKey) {}

    private final Map<Object, Long> counts = new HashMap<>();
    private boolean holds;
    private boolean holdsByKey;
    private boolean holdsOfAll;
    private boolean isByKey;
    private boolean mayCountTwice;

    void inForce(Composition next) {
        mayCountTwice |= of(ALL) > 0 && (holdsByKey || next.holdsByKey());
        holds = next.holds();
        holdsByKey = next.holdsByKey();
        holdsOfAll = next.concurrencyLimits().stream().anyMatch(part -> !part.byKey());
        isByKey = next.isByKey();
    }

    Entry add(Request request) {
        Entry entry = new Entry(request, holds, holdsByKey);
        count(entry, request.permits());
        return entry;
    }

    void remove(Entry entry) {
        count(entry, -entry.request().permits());
    }

    private void count(Entry entry, long permits) {
        if (entry.isCounted) {
            counts.merge(ALL, permits, Long::sum);
            mayCountTwice &= of(ALL) > 0;
        }
        if (entry.isCountedByKey) {
            counts.merge(Objects.requireNonNull(entry.request.key()), permits, Long::sum);
        }
    }

    /** Of those that this limit counts for this request. */
    long of(Part part, Request request) {
        Object counted = part.byKey() ? request.key() : ALL;
        return counted == null ? 0 : of(counted);
    }

    private long of(Object counted) {
        return counts.getOrDefault(counted, 0L);
    }

    /** Whether a change between a limit by key and a limit of all left permits that may be counted twice. */
    boolean mayCountTwice() {
        return mayCountTwice;
    }

    /** Compares the limiter with these counts, also of strategies that were replaced. One that counts by key adds up its keys, and is not asked after each step. */
    void check(ManagedLimiter limiter, int steps) {
        if (!holdsOfAll && isByKey && steps % CHECK_EVERY != 0) {
            return;
        }
        long expected = of(ALL);
        long found = limiter.inFlight();
        if (mayCountTwice ? found < expected : found != expected) {
            throw new Violation("inFlight() is " + found + ", expected " + expected);
        }
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
