package dev.weir.queue.discipline;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An order of waiters: it selects the next one of a queue. A {@link DisciplineSpec} creates one for each queue. All
 * methods are called under that queue's lock, so an implementation needs no lock, must not block and must not call the queue.
 * An exception is counted in the queue's snapshot as a failure; a waiter whose {@link #offer} throws is refused as {@code SHED}.
 */
public interface Discipline {
    /** Adds a new waiter. Returns false to shed it at once: it is refused as {@link dev.weir.Rejection.Reason#SHED}. */
    boolean offer(Waiter waiter);

    /**
     * The waiter to acquire for next. It stays in the discipline until {@link #granted} or {@link #remove}, and may be
     * returned again. A discipline that sheds passes each waiter to refuse to {@code shed}, which calls {@link #remove}.
     *
     * @param now the queue's time in nanoseconds, comparable by difference to {@link Waiter#since}
     * @return null if nothing waits that is not {@linkplain #suspend left out}
     */
    @Nullable
    Waiter next(long now, Consumer<Waiter> shed);

    /**
     * The waiter to acquire for after {@code refused} was refused. {@code refused} is the waiter that {@link #next} or this
     * method returned last. A discipline with subqueues returns the first waiter of another subqueue, of each at most once
     * after each {@link #next}: there are at most as many attempts as waiters, so another is not tried if one is repeated.
     *
     * @return null if all other waiters would be refused too, which is the default
     */
    default @Nullable Waiter after(Waiter refused) {
        return null;
    }

    /**
     * The subqueue of a waiter, in its order. A discipline that implements {@link #after} also implements this method. The
     * queue uses it while the first waiter of a subqueue requests more than the limit: then the next waiter of that subqueue is
     * tried. Must return the same object for all waiters of one subqueue. Default: null, for no subqueues.
     */
    default @Nullable Iterable<Waiter> subqueue(Waiter waiter) {
        return null;
    }

    /**
     * Leaves the subqueue of a refused waiter out of {@link #next} and {@link #after}, because its first waiter would be refused
     * again, until {@link #resume}. Its waiters stay in the discipline, and others may be added to it. If there is no other
     * subqueue, {@link #next} returns null.
     *
     * @return false if nothing is left out, which is the default
     */
    default boolean suspend(Waiter refused) {
        return false;
    }

    /** Ends {@link #suspend} for the subqueue of this waiter. Does nothing if it is not left out. Default: nothing. */
    default void resume(Waiter waiter) {}

    /** Removes a waiter that was granted its permit. Default: {@link #remove}. */
    default void granted(Waiter waiter) {
        remove(waiter);
    }

    /** Removes a waiter that waits no longer. Does nothing if it is not in the discipline. */
    void remove(Waiter waiter);

    /**
     * The waiter to shed from a full queue to make room for {@code newcomer}, which has not been offered yet. Default: null,
     * which refuses the newcomer as {@code QUEUE_FULL}.
     */
    default @Nullable Waiter shedFor(Waiter newcomer) {
        return null;
    }

    /**
     * A lower bound of the number of waiters that would be granted before {@code newcomer}, which has not been offered yet.
     * If it is 0, its arrival in a fair queue in which others wait causes an attempt for the waiter that {@link #next}
     * returns, the newcomer or another. If it is greater, none is needed. So 0 is always correct and costs an attempt for
     * each arrival. A predictive queue also estimates the wait from this number. Default: 0, for not known.
     */
    default int ahead(Waiter newcomer) {
        return 0;
    }
}
