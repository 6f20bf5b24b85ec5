package dev.weir.queue.discipline;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Adaptive LIFO: first come, first served until the queue has not been empty for longer than {@code standing}; from then on last
 * come, first served, until the queue has been empty (Maurer, "Fail at Scale", ACM Queue 13(8), 2015). Choose it for most
 * servers: fair under normal load, and as useful as {@link Lifo} under overload. While it is last come, first served, a full
 * queue sheds the oldest waiter for a new one. Old waiters stay until they time out; inside a {@link CoDel} they are refused much
 * earlier. Every operation is O(1).
 *
 * @param standing how long the queue may go without being empty, 1 ns to 73 years; the source uses 100 ms
 */
public record AdaptiveLifo(Duration standing) implements DisciplineSpec {
    /**
     * Checks the component.
     *
     * @throws IllegalArgumentException if {@code standing} is out of its range
     */
    public AdaptiveLifo {
        Nanos.check("standing", standing);
    }

    @Override
    public Discipline create() {
        return new ByArrival(standing.toNanos());
    }

    /** The order of arrival, from its beginning, or from its end while the queue has not been empty for long. */
    static final class ByArrival implements Discipline {
        static final long ALWAYS_FIRST = Long.MAX_VALUE;
        static final long ALWAYS_LAST = Long.MIN_VALUE;

        private final WaiterDeque waiters = new WaiterDeque(null);
        private final long standing;
        private long emptyUntil;

        /** Last come, first served, once the queue has not been empty for longer than this, in nanoseconds. */
        ByArrival(long standing) {
            this.standing = standing;
        }

        @Override
        public boolean offer(Waiter waiter) {
            if (waiters.size() == 0) {
                emptyUntil = waiter.since();
            }
            waiters.addLast(waiter);
            return true;
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return isStanding(now) ? waiters.last() : waiters.first();
        }

        @Override
        public void remove(Waiter waiter) {
            waiters.remove(waiter);
        }

        @Override
        public @Nullable Waiter shedFor(Waiter newcomer) {
            return isStanding(newcomer.since()) ? waiters.first() : null;
        }

        @Override
        public int ahead(Waiter newcomer) {
            return standing == ALWAYS_FIRST ? waiters.size() : 0;
        }

        private boolean isStanding(long now) {
            return now - emptyUntil > standing;
        }

        /** Null if there is none. */
        @Nullable
        Waiter oldest() {
            return waiters.first();
        }
    }
}
