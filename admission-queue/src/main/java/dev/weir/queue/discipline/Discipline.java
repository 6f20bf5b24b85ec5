package dev.weir.queue.discipline;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides which waiter of a queue is next. A {@link DisciplineSpec} creates one for each queue. All methods are called under
 * that queue's lock, so an implementation needs no lock, must not block and must not call back into the queue. An exception
 * is counted in the queue's snapshot as a failure; a waiter whose {@link #offer} throws is refused as {@code SHED}.
 */
public interface Discipline {
    /** Adds a new waiter. False refuses it as {@link dev.weir.Rejection.Reason#SHED}. */
    boolean offer(Waiter waiter);

    /**
     * The waiter to acquire for next. It stays in the discipline until {@link #granted} or {@link #remove}, and may be
     * returned again. Passes waiters that shall wait no longer to {@code shed}, which calls {@link #remove} for each.
     *
     * @param now the queue's time in nanoseconds, comparable by difference to {@link Waiter#since}
     * @return null if nothing waits
     */
    @Nullable
    Waiter next(long now, Consumer<Waiter> shed);

    /**
     * The waiter to acquire for although {@code refused}, returned just before by {@link #next} or by this method, was
     * refused: the first one of another subqueue. Must return each subqueue at most once after {@link #next}, or the
     * attempts do not end.
     *
     * @return null if the refusal holds for all others too, which is the default
     */
    default @Nullable Waiter after(Waiter refused) {
        return null;
    }

    /**
     * The subqueue of a waiter, in its order, for a discipline with {@link #after}: while the first waiter requests more than
     * the limit, the next one takes its turn. Must return the same object for all waiters of one subqueue.
     *
     * @return null if there are no subqueues, which is the default
     */
    default @Nullable Iterable<Waiter> subqueue(Waiter waiter) {
        return null;
    }

    /** Removes a waiter that was granted its permit. Default: {@link #remove}. */
    default void granted(Waiter waiter) {
        remove(waiter);
    }

    /** Removes a waiter that waits no longer. Does nothing if it is not in the discipline. */
    void remove(Waiter waiter);

    /**
     * The waiter to shed from a full queue to make room for {@code newcomer}, which has not been offered yet.
     *
     * @return null to refuse the newcomer as {@code QUEUE_FULL}, which is the default
     */
    default @Nullable Waiter evict(Waiter newcomer) {
        return null;
    }

    /** The least number of waiters that would go before {@code newcomer}. Default: 0, for not known. */
    default int ahead(Waiter newcomer) {
        return 0;
    }
}
