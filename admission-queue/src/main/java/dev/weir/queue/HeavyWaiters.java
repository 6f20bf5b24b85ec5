package dev.weir.queue;

import java.util.Comparator;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The waiters that request more than the limit, by their number of permits and in order of arrival. Not thread-safe. */
final class HeavyWaiters {
    private static final Comparator<QueuedRequest> BY_ARRIVAL = Comparator.comparingLong(QueuedRequest::sequence);

    private final NavigableMap<Long, TreeSet<QueuedRequest>> byPermits = new TreeMap<>();
    private int size;

    void add(QueuedRequest waiter) {
        boolean added = byPermits
                .computeIfAbsent(waiter.request.permits(), permits -> new TreeSet<>(BY_ARRIVAL))
                .add(waiter);
        size += added ? 1 : 0;
    }

    void remove(QueuedRequest waiter) {
        long permits = waiter.request.permits();
        TreeSet<QueuedRequest> alike = byPermits.get(permits);
        if (alike != null && alike.remove(waiter)) {
            size--;
            if (alike.isEmpty()) {
                byPermits.remove(permits);
            }
        }
    }

    int size() {
        return size;
    }

    /** The first that arrived after this one, null = the first of all, and requests at most so many permits; null if there is none. */
    @Nullable
    QueuedRequest next(@Nullable QueuedRequest after, long atMost) {
        QueuedRequest oldest = null;
        for (TreeSet<QueuedRequest> alike : byPermits.headMap(atMost, true).values()) {
            QueuedRequest next = after == null ? alike.first() : alike.higher(after);
            if (next != null && (oldest == null || next.sequence < oldest.sequence)) {
                oldest = next;
            }
        }
        return oldest;
    }
}
