package dev.weir.queue;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The waiters that were refused for a reason that stands until a permit of their key is released, or until a time. Their
 * subqueues are not tried before. Guarded by the monitor of the wait list, but for what says otherwise.
 */
final class Suspensions {
    /*
     * No wake-up is lost: a waiter is suspended only if no event has come since before it was tried, and an event is counted
     * after the permits are free and before it runs the dispatcher:
     *
     *     dispatching thread             releaser
     *     reads events                   returns the permits
     *     tries to acquire: refused      events + 1; resumes what its key has suspended
     *     events as before: suspends     dispatch
     *
     * If the releaser counts before the last step on the left, the subqueue is not suspended, and the dispatch of the
     * releaser tries it. If it counts after that step, it resumes the subqueue first. Events are counted from the first waiter
     * on that might be suspended (`used`), which is not: it is written before the next one is tried.
     *
     * A subqueue is resumed, too, when the waiter leaves for which it was suspended, or another of its waiters is not too
     * heavy any more.
     */
    private static final long FOREVER = 1L << 61;

    /** The reason of one waiter: its key by the limit, and when it may be granted without a release. */
    record Suspension(QueuedRequest waiter, Object key, boolean hasTime, long time) {}

    private final Map<Object, Set<QueuedRequest>> byKey = new HashMap<>();
    private final TreeSet<Suspension> byTime = new TreeSet<>(Suspensions::compareTime);
    private final WaitCounts counts;
    private volatile boolean used;
    private volatile int events;

    Suspensions(WaitCounts counts) {
        this.counts = counts;
    }

    private static int compareTime(Suspension one, Suspension other) {
        int byTime = Long.compare(one.time - other.time, 0);
        return byTime != 0 ? byTime : Long.compare(one.waiter.sequence, other.waiter.sequence);
    }

    /** True if events must be counted. Read without the monitor, after the permits were returned. */
    boolean isUsed() {
        return used;
    }

    /** The number of events so far. Read without the monitor, before a waiter is tried. */
    int events() {
        return events;
    }

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    /** Suspends the subqueue of a refused waiter, unless an event has come since {@link #events} was read. */
    void suspend(GuardedDiscipline order, QueuedRequest waiter, Object key, long now, long delay, int seen) {
        if (order.subqueue(waiter) == null) {
            return;
        }
        boolean isFirst = !used;
        used = true;
        if (isFirst || seen != events) {
            return;
        }
        resume(order, waiter);
        if (!order.suspend(waiter)) {
            return;
        }
        Suspension made = new Suspension(waiter, key, delay > 0, now + Math.min(delay, FOREVER));
        waiter.suspension = made;
        if (made.hasTime) {
            byTime.add(made);
        }
        try {
            byKey.computeIfAbsent(key, any -> new LinkedHashSet<>(2)).add(waiter);
        } catch (Throwable t) {
            counts.failed();
            resume(order, waiter);
        }
    }

    /** An event after which the waiters of this key may be granted; null: all. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the monitor
    void event(GuardedDiscipline order, @Nullable Object key) {
        events++;
        try {
            Set<QueuedRequest> alike = key == null ? null : byKey.get(key);
            if (alike != null) {
                List.copyOf(alike).forEach(waiter -> resume(order, waiter));
            }
            if (key != null) {
                return;
            }
        } catch (Throwable t) {
            counts.failed(); // of a key, in its equals or hashCode
        }
        List<QueuedRequest> all = byKey.values().stream().flatMap(Set::stream).toList();
        byKey.clear();
        all.forEach(waiter -> resume(order, waiter));
    }

    /** Resumes those whose time has come. The time of the next; null if there is none. */
    @Nullable
    Suspension due(GuardedDiscipline order, long now) {
        while (!byTime.isEmpty() && byTime.first().time - now <= 0) {
            resume(order, byTime.first().waiter);
        }
        return byTime.isEmpty() ? null : byTime.first();
    }

    /** Does nothing if the waiter is not suspended. */
    void resume(GuardedDiscipline order, QueuedRequest waiter) {
        Suspension ended = waiter.suspension;
        if (ended == null) {
            return;
        }
        waiter.suspension = null;
        byTime.remove(ended);
        order.resume(waiter);
        try {
            Set<QueuedRequest> alike = byKey.get(ended.key);
            if (alike != null && alike.remove(waiter) && alike.isEmpty()) {
                byKey.remove(ended.key);
            }
        } catch (Throwable t) {
            counts.failed();
        }
    }
}
