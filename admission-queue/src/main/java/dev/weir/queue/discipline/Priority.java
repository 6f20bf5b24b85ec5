package dev.weir.queue.discipline;

import dev.weir.Request;
import java.time.Duration;

/**
 * Priority with ageing: the most important waiter is next, by {@link Request#priority}: 0 before 1 before 2, first come, first
 * served among equals. A waiter gains one level each {@code ageing}, so none starves: no request that arrives more than
 * {@code p * ageing} after a waiter of priority p goes before it. A full queue sheds the last waiter in order for a new one that
 * goes before it. Choose it where requests differ in value to the server. Every operation is O(log waiters).
 *
 * @param ageing how long a waiter waits to count as one level more important, 1 ns to 73 years; p levels count as at most 73
 *     years
 */
public record Priority(Duration ageing) implements DisciplineSpec {
    /*
     * All waiters gain importance at the same rate, so their order never changes: the level at any time `now` is
     * priority - (now - since) / ageing, and comparing two of them, times ageing, is comparing priority * ageing + since.
     */

    /**
     * Checks the component.
     *
     * @throws IllegalArgumentException if {@code ageing} is out of its range
     */
    public Priority {
        Nanos.check("ageing", ageing);
    }

    @Override
    public Discipline create() {
        long nanos = ageing.toNanos();
        return new SortedOrder((one, other) ->
                Long.compare(one.since() - other.since() + handicap(one, nanos) - handicap(other, nanos), 0));
    }

    private static long handicap(Waiter waiter, long ageing) {
        int priority = waiter.request().priority();
        return priority > Nanos.MAX / ageing ? Nanos.MAX : priority * ageing;
    }
}
