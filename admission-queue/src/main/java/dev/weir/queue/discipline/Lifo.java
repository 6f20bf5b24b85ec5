package dev.weir.queue.discipline;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Last come, first served. Choose it where a caller that has waited is likely to have given up without notice: under
 * overload some requests are granted at once and the others time out, instead of all being granted late. A full queue sheds
 * the oldest waiter for a new one. Old waiters starve as long as new ones arrive, so requests should have a deadline; where
 * overload is rare, {@link AdaptiveLifo} is fairer. Every operation is O(1).
 */
public record Lifo() implements DisciplineSpec {
    @Override
    public Discipline create() {
        return new LifoOrder();
    }

    private static final class LifoOrder implements CoDel.ByArrival {
        private final WaiterDeque waiters = new WaiterDeque();

        @Override
        public boolean offer(Waiter waiter) {
            waiters.addLast(waiter);
            return true;
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return waiters.last();
        }

        @Override
        public void remove(Waiter waiter) {
            waiters.remove(waiter);
        }

        @Override
        public @Nullable Waiter shedFor(Waiter newcomer) {
            return waiters.first();
        }

        @Override
        public @Nullable Waiter oldest() {
            return waiters.first();
        }
    }
}
