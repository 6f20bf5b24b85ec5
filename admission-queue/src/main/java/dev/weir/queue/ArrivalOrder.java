package dev.weir.queue;

import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Waiter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The order of {@link Fifo}, by the list of arrivals that exists anyway. */
record ArrivalOrder(ArrivalList arrivals) implements Discipline {
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
