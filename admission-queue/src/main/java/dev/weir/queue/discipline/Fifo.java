package dev.weir.queue.discipline;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * First come, first served. A request for more permits than are free holds up those behind it, so none starves. Choose it
 * where all callers are equally important and the capacity of the queue or the callers' deadlines keep the queue short.
 * Every operation is O(1).
 */
public record Fifo() implements DisciplineSpec {
    @Override
    public Discipline create() {
        return new FifoOrder();
    }

    @Override
    public boolean sheds() {
        return false;
    }

    private static final class FifoOrder implements CoDel.ByArrival {
        private final WaiterDeque waiters = new WaiterDeque();

        @Override
        public boolean offer(Waiter waiter) {
            waiters.addLast(waiter);
            return true;
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return waiters.first();
        }

        @Override
        public void remove(Waiter waiter) {
            waiters.remove(waiter);
        }

        @Override
        public int ahead(Waiter newcomer) {
            return waiters.size();
        }

        @Override
        public @Nullable Waiter oldest() {
            return waiters.first();
        }
    }
}
