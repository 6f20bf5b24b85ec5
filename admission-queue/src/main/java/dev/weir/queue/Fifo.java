package dev.weir.queue;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * First come, first served. A request for more permits than are free holds up those behind it, so none starves. Right
 * where each caller is as important as the next and the line is kept short by its capacity or the callers' deadlines.
 */
public record Fifo() implements DisciplineSpec {
    @Override
    public Discipline create() {
        return new Line();
    }

    private static final class Line implements Discipline {
        private final Chain chain = new Chain();

        @Override
        public boolean offer(Waiter newcomer) {
            chain.addLast(newcomer.place());
            return true;
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return chain.first();
        }

        @Override
        public void remove(Waiter waiter) {
            chain.remove(waiter.place());
        }

        @Override
        public int ahead(Waiter newcomer) {
            return chain.size();
        }
    }
}
