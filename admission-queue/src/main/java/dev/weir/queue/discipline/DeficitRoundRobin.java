package dev.weir.queue.discipline;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Subqueues that take turns by deficit round robin. None of them is empty or suspended. Not thread-safe. */
final class DeficitRoundRobin {
    /*
     * The first subqueue has the turn. It was credited its weight when the turn came (`credited`), keeps the turn as long
     * as its deficit counter covers its first waiter, and then goes to the end. Where a whole round covers no waiter, which
     * takes requests for more permits than the weights, the rounds that would not cover any are credited at once.
     *
     * `offered` is the subqueue whose first waiter was returned last. If it is removed, the one before takes its place,
     * and if there is none (`offered` null) the first is next: within one series of attempts no subqueue is returned
     * twice, nor left out.
     */
    private @Nullable Subqueue first;
    private @Nullable Subqueue last;
    private @Nullable Subqueue credited;
    private @Nullable Subqueue offered;
    private int size;

    void addLast(Subqueue subqueue) {
        subqueue.previous = last;
        subqueue.next = null;
        if (last == null) {
            first = subqueue;
        } else {
            last.next = subqueue;
        }
        last = subqueue;
        size++;
    }

    void remove(Subqueue subqueue) {
        if (offered == subqueue) {
            offered = subqueue.previous;
        }
        if (credited == subqueue) {
            credited = null;
        }
        if (subqueue.previous == null) {
            first = subqueue.next;
        } else {
            subqueue.previous.next = subqueue.next;
        }
        if (subqueue.next == null) {
            last = subqueue.previous;
        } else {
            subqueue.next.previous = subqueue.previous;
        }
        size--;
    }

    /** Has no turns until it is resumed. The turn that it has ends, and what is left of that is not saved. */
    void suspend(Subqueue subqueue) {
        if (credited == subqueue) {
            subqueue.creditTurns(-1);
        }
        remove(subqueue);
        subqueue.suspended = true;
    }

    /** Has turns again, after all others. */
    void resume(Subqueue subqueue) {
        subqueue.suspended = false;
        addLast(subqueue);
    }

    /** The first waiter of the subqueue that has the turn; the same one until it is removed. Null if nothing waits. */
    @Nullable
    Waiter next() {
        if (first == null) {
            return null;
        }
        int rotated = 0;
        for (Subqueue current = creditFirst(); current.shortfall() > 0; current = creditFirst()) {
            remove(current);
            addLast(current);
            if (++rotated == size) {
                creditIdleRounds();
            }
        }
        offered = first;
        return first.waiters.first();
    }

    private Subqueue creditFirst() {
        Subqueue subqueue = Objects.requireNonNull(first);
        if (credited != subqueue) {
            credited = subqueue;
            subqueue.creditTurns(1);
        }
        return subqueue;
    }

    private void creditIdleRounds() {
        long rounds = Long.MAX_VALUE;
        for (Subqueue each = first; each != null; each = each.next) {
            rounds = Math.min(rounds, each.turnsUntilCovered() - 1);
        }
        for (Subqueue each = first; each != null && rounds > 0; each = each.next) {
            each.creditTurns(rounds);
        }
    }

    /** The first waiter of the subqueue after the one returned last; null if there is none. */
    @Nullable
    Waiter after() {
        offered = offered == null ? first : offered.next;
        return offered == null ? null : offered.waiters.first();
    }
}
