package dev.weir.queue;

import dev.weir.Request;
import java.time.Duration;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The most important first, by {@link Request#priority}: 0 before 1 before 2, first come, first served among equals. A
 * waiter gains one level each {@code ageing}, so none starves: one of priority p is overtaken by nobody who comes more
 * than {@code p * ageing} after him. A full line gives up the last in order if the newcomer goes before him. Right where
 * requests differ in worth to you, not to their callers. Every operation is O(log waiters).
 *
 * @param ageing after how long a waiter counts as one level more important, 1 ns to 73 years; p levels count as 73 years
 *     at most
 */
public record Priority(Duration ageing) implements DisciplineSpec {
    /*
     * All grow more important at the same pace, so who is before whom never changes: the level at any time `now` is
     * priority - (now - since) / ageing, and comparing two of them, times ageing, is comparing priority * ageing + since.
     */

    /** Checks the component. */
    public Priority {
        Nanos.check("ageing", ageing);
    }

    @Override
    public Discipline create() {
        return new Line(ageing.toNanos());
    }

    private static final class Line implements Discipline {
        private final TreeSet<Waiter> order = new TreeSet<>(this::compare);
        private final long ageing;
        private long turns;

        Line(long ageing) {
            this.ageing = ageing;
        }

        private int compare(Waiter one, Waiter other) {
            int byRank = Long.compare(rankedBehind(one, other), 0);
            return byRank != 0 ? byRank : Long.compare(one.turn, other.turn);
        }

        /** Positive if the first one comes later. */
        private long rankedBehind(Waiter one, Waiter other) {
            return one.since() - other.since() + handicap(one) - handicap(other);
        }

        private long handicap(Waiter waiter) {
            int priority = waiter.request().priority();
            return priority > Nanos.MOST / ageing ? Nanos.MOST : priority * ageing;
        }

        @Override
        public boolean offer(Waiter newcomer) {
            newcomer.turn = turns++;
            return order.add(newcomer);
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return order.isEmpty() ? null : order.first();
        }

        @Override
        public void remove(Waiter waiter) {
            order.remove(waiter);
        }

        @Override
        public @Nullable Waiter evict(Waiter newcomer) {
            return isBeforeTheLast(newcomer) ? order.last() : null;
        }

        @Override
        public int ahead(Waiter newcomer) {
            return isBeforeTheLast(newcomer) ? 0 : order.size();
        }

        private boolean isBeforeTheLast(Waiter newcomer) {
            return !order.isEmpty() && rankedBehind(newcomer, order.last()) < 0;
        }
    }
}
