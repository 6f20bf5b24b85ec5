package dev.weir.queue;

import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.Waiter;
import org.jspecify.annotations.Nullable;

/** A discipline whose exceptions are counted: it answers 0, false or null then. Guarded by the monitor of the wait list. */
record GuardedDiscipline(Discipline discipline, WaitCounts counts) {
    int ahead(Waiter newcomer) {
        try {
            return Math.max(0, discipline.ahead(newcomer));
        } catch (Throwable t) {
            counts.failed();
            return 0;
        }
    }

    boolean offer(Waiter waiter) {
        try {
            return discipline.offer(waiter);
        } catch (Throwable t) {
            counts.failed();
            return false;
        }
    }

    @Nullable
    Iterable<Waiter> subqueue(Waiter waiter) {
        try {
            return discipline.subqueue(waiter);
        } catch (Throwable t) {
            counts.failed();
            return null;
        }
    }

    void remove(Waiter waiter, boolean granted) {
        try {
            if (granted) {
                discipline.granted(waiter);
            } else {
                discipline.remove(waiter);
            }
        } catch (Throwable t) {
            counts.failed();
        }
    }

    boolean suspend(Waiter refused) {
        try {
            return discipline.suspend(refused);
        } catch (Throwable t) {
            counts.failed();
            return false;
        }
    }

    void resume(Waiter waiter) {
        try {
            discipline.resume(waiter);
        } catch (Throwable t) {
            counts.failed();
        }
    }
}
