package dev.weir.queue;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who is next. One is made for each queue by a {@link DisciplineSpec}; all of its methods are called under that queue's
 * lock, so it needs none of its own, must not block and must not call out. What it throws is counted, and the waiter it
 * was about is refused.
 */
public interface Discipline {
    /** Takes a newcomer into the line. False refuses him: {@link dev.weir.Rejection.Reason#SHED}. */
    boolean offer(Waiter newcomer);

    /**
     * Who shall be asked for next; he stays in the line until {@link #granted} or {@link #remove}, and the same one may
     * be named again. Waiters that shall wait no longer are passed to {@code shed}, which removes them.
     *
     * @param now the queue's time, comparable by difference to {@link Waiter#since}
     * @return null if the line is empty
     */
    @Nullable
    Waiter next(long now, Consumer<Waiter> shed);

    /**
     * Who may be asked for although this one, named just before by {@link #next} or by this method, was refused: one in
     * another lane. Each lane once, or asking would not end.
     *
     * @return null if his refusal is that of the line
     */
    default @Nullable Waiter after(Waiter refused) {
        return null;
    }

    /** Takes out a waiter that was granted his permit. */
    default void granted(Waiter waiter) {
        remove(waiter);
    }

    /** Takes out a waiter that waits no longer. */
    void remove(Waiter waiter);

    /**
     * Whom to shed from a full line so that the newcomer, not in it yet, can enter.
     *
     * @return null to refuse the newcomer
     */
    default @Nullable Waiter evict(Waiter newcomer) {
        return null;
    }

    /** How many would be asked for before this newcomer, at least, were he in the line: 0 where that is not known. */
    default int ahead(Waiter newcomer) {
        return 0;
    }
}
