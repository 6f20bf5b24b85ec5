package dev.weir.queue;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * First come, first served until somebody has been waiting at every moment for longer than {@code standing}; from then
 * on last come, first served, until the line has been empty (Maurer, "Fail at Scale", ACM Queue 13(8), 2015). Right for
 * most servers: fair while load is bearable, and under overload as useful as {@link Lifo}. While it is last come, first
 * served, a full line gives up the oldest for the newcomer. The old are kept until their patience ends; inside a
 * {@link CoDel} they are told much earlier. Every operation is O(1).
 *
 * @param standing for how long the line may go without being empty, 1 ns to 73 years; the source uses 100 ms
 */
public record AdaptiveLifo(Duration standing) implements DisciplineSpec {
    /** Checks the component. */
    public AdaptiveLifo {
        Nanos.check("standing", standing);
    }

    @Override
    public Discipline create() {
        return new Line(standing.toNanos());
    }

    private static final class Line implements Discipline {
        private final Chain chain = new Chain();
        private final long standing;
        private long emptyUntil;

        Line(long standing) {
            this.standing = standing;
        }

        @Override
        public boolean offer(Waiter newcomer) {
            if (chain.size() == 0) {
                emptyUntil = newcomer.since();
            }
            chain.addLast(newcomer.place());
            return true;
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return stands(now) ? chain.last() : chain.first();
        }

        @Override
        public void remove(Waiter waiter) {
            chain.remove(waiter.place());
        }

        @Override
        public @Nullable Waiter evict(Waiter newcomer) {
            return stands(newcomer.since()) ? chain.first() : null;
        }

        private boolean stands(long now) {
            return now - emptyUntil > standing;
        }
    }
}
