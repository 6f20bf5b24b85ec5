package dev.weir.queue;

import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Waiters in order of arrival, linked through their own fields: any one is removed in constant time. Not thread-safe. */
final class ArrivalList {
    private @Nullable QueuedRequest first;
    private @Nullable QueuedRequest last;
    private int size;

    void addLast(QueuedRequest waiter) {
        waiter.previous = last;
        if (last == null) {
            first = waiter;
        } else {
            last.next = waiter;
        }
        last = waiter;
        size++;
    }

    /** A waiter is in one list at most. */
    boolean contains(QueuedRequest waiter) {
        return waiter.previous != waiter;
    }

    boolean remove(QueuedRequest waiter) {
        if (!contains(waiter)) {
            return false;
        }
        QueuedRequest previous = waiter.previous;
        QueuedRequest next = waiter.next;
        if (previous == null) {
            first = next;
        } else {
            previous.next = next;
        }
        if (next == null) {
            last = previous;
        } else {
            next.previous = previous;
        }
        waiter.previous = waiter;
        waiter.next = null;
        size--;
        return true;
    }

    @Nullable
    QueuedRequest first() {
        return first;
    }

    @Nullable
    QueuedRequest first(Predicate<QueuedRequest> test) {
        QueuedRequest waiter = first;
        while (waiter != null && !test.test(waiter)) {
            waiter = waiter.next;
        }
        return waiter;
    }

    int size() {
        return size;
    }

    List<QueuedRequest> all() {
        List<QueuedRequest> all = new ArrayList<>(size);
        for (QueuedRequest waiter = first; waiter != null; waiter = waiter.next) {
            all.add(waiter);
        }
        return all;
    }

    /** The order of {@link Fifo}, by the list that exists anyway. */
    record Order(ArrivalList arrivals) implements Discipline {
        @Override
        public boolean offer(Waiter waiter) {
            return true;
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return arrivals.first();
        }

        @Override
        public void remove(Waiter waiter) {}

        @Override
        public int ahead(Waiter newcomer) {
            return arrivals.size();
        }
    }
}
