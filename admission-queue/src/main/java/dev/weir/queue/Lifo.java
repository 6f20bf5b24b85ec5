package dev.weir.queue;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Last come, first served. Right where a caller who has waited is likely to have given up without saying so: under
 * overload some are served at once and the others in vain, instead of all of them late. A full line gives up the oldest
 * for the newcomer. The old starve as long as newcomers come, so callers should bring a deadline; where load is mostly
 * bearable, {@link AdaptiveLifo} is fairer. Every operation is O(1).
 */
public record Lifo() implements DisciplineSpec {
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
            return chain.last();
        }

        @Override
        public void remove(Waiter waiter) {
            chain.remove(waiter.place());
        }

        @Override
        public @Nullable Waiter evict(Waiter newcomer) {
            return chain.first();
        }
    }
}
