package dev.weir.testkit;

import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.Composition.By;
import dev.weir.testkit.Composition.Part;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The number of permits in flight that were granted under a concurrency limit: of all requests, and of each key by what
 * limits by key count by. By docs/how/changes.md, "the limiter keeps one count of the permits in flight through every
 * change", and "of several limits in an AllOf, each counts everything in flight": one by key, what was granted to the key
 * under limits by the same names. From "a limit for all" to "limits by key" counts "nothing for any key"; from "limits by
 * key" to "a limit for all", "the permits in flight of all keys".
 */
final class PermitsInFlight {
    private static final Object ALL = "all requests";
    private static final int CHECK_EVERY = 8;

    /** The count of limits by the same names for one key. */
    private record Account(By by, Object key) {}

    /** A granted request, and the counts that it was added to: those of the composition in force at that time. */
    record Entry(Request request, List<Object> counts) {
        boolean isCounted() {
            return !counts.isEmpty();
        }
    }

    private final Map<Object, Long> counts = new HashMap<>();
    private final Set<By> holdsBy = new LinkedHashSet<>();
    private boolean holds;
    private boolean holdsOfAll;
    private boolean isByKey;

    void inForce(Composition next) {
        holds = next.holds();
        holdsBy.clear();
        next.concurrencyLimits().stream().filter(part -> part.by() != null).forEach(part -> holdsBy.add(part.by()));
        holdsOfAll = next.concurrencyLimits().stream().anyMatch(part -> part.by() == null);
        isByKey = next.isByKey();
    }

    Entry add(Request request) {
        List<Object> added = new ArrayList<>();
        if (holds) {
            added.add(ALL);
        }
        for (By by : holdsBy) {
            added.add(new Account(by, Objects.requireNonNull(by.keyOf(request))));
        }
        Entry entry = new Entry(request, added);
        count(entry, request.permits());
        return entry;
    }

    void remove(Entry entry) {
        count(entry, -entry.request().permits());
    }

    private void count(Entry entry, long permits) {
        entry.counts().forEach(counted -> counts.merge(counted, permits, Long::sum));
    }

    /** Of those that this limit counts for this request. */
    long of(Part part, Request request) {
        By by = part.by();
        if (by == null) {
            return of(ALL);
        }
        Object key = by.keyOf(request);
        return key == null ? 0 : of(new Account(by, key));
    }

    private long of(Object counted) {
        return counts.getOrDefault(counted, 0L);
    }

    /** Compares the limiter with these counts, also of strategies that were replaced. One that counts by key adds up its keys, and is not asked after each step. */
    void check(Composition.Subject subject, int steps) {
        if (!holdsOfAll && isByKey && steps % CHECK_EVERY != 0) {
            return;
        }
        long expected = of(ALL);
        ManagedLimiter engine = subject.engine();
        long found = engine == null ? subject.snapshot().inFlight() : engine.inFlight();
        if (found != expected) {
            throw new Violation("inFlight() is " + found + ", expected " + expected);
        }
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
