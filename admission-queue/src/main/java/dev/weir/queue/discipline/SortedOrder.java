package dev.weir.queue.discipline;

import java.util.Comparator;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An order by a comparator: the least waiter is next, first come, first served among equals. For the
 * {@link DisciplineSpec#create} of a discipline that only sorts. A full queue sheds the last waiter in order for a new one that
 * goes before it. Every operation is O(log waiters). Not thread-safe: it is used under its queue's lock.
 */
public final class SortedOrder implements Discipline {
    private final Comparator<Waiter> comparator;
    private final TreeSet<Waiter> waiters;

    /**
     * An empty order.
     *
     * @param comparator the least waiter is next; the result for two waiters must never change
     */
    public SortedOrder(Comparator<Waiter> comparator) {
        this.comparator = comparator;
        waiters = new TreeSet<>(comparator.thenComparingLong(Waiter::sequence));
    }

    @Override
    public boolean offer(Waiter waiter) {
        return waiters.add(waiter);
    }

    @Override
    public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
        return waiters.isEmpty() ? null : waiters.first();
    }

    @Override
    public void remove(Waiter waiter) {
        waiters.remove(waiter);
    }

    @Override
    public @Nullable Waiter shedFor(Waiter newcomer) {
        return isBeforeLast(newcomer) ? waiters.last() : null;
    }

    @Override
    public int ahead(Waiter newcomer) {
        return isBeforeLast(newcomer) ? 0 : waiters.size();
    }

    private boolean isBeforeLast(Waiter newcomer) {
        return !waiters.isEmpty() && comparator.compare(newcomer, waiters.last()) < 0;
    }
}
