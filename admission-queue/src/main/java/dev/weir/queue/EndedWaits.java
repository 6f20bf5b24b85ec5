package dev.weir.queue;

import org.jspecify.annotations.Nullable;

/**
 * Waits that have ended and have to be completed, in the order in which they ended. Linked through the waiters, which are out
 * of their list of arrivals by then. Not thread-safe.
 */
final class EndedWaits {
    private @Nullable QueuedRequest first;
    private @Nullable QueuedRequest last;
    private int size;
    /** The waiter to try next: chosen when the last of these was removed from its list. */
    @Nullable
    QueuedRequest tryNext;

    /** Only the thread that has ended the waiter adds it, once it is out of its list. */
    void add(QueuedRequest waiter) {
        if (last == null) {
            first = waiter;
        } else {
            last.next = waiter;
        }
        last = waiter;
        size++;
    }

    /** Moves all of the others here. */
    void addAll(EndedWaits others) {
        if (others.first == null) {
            return;
        }
        if (last == null) {
            first = others.first;
        } else {
            last.next = others.first;
        }
        last = others.last;
        size += others.size;
        others.first = null;
        others.last = null;
        others.size = 0;
    }

    @Nullable
    QueuedRequest poll() {
        QueuedRequest polled = first;
        if (polled != null) {
            first = polled.next;
            last = first == null ? null : last;
            polled.next = null;
            size--;
        }
        return polled;
    }

    int size() {
        return size;
    }
}
