package dev.weir.queue;

import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whose patience ends first goes first, those who wait for ever last, first come, first served among equals (Liu and
 * Layland, "Scheduling Algorithms for Multiprogramming in a Hard-Real-Time Environment", JACM 20(1), 1973: if any order
 * keeps all deadlines, this one does). A full line gives up the last in order if the newcomer goes before him. Right
 * where callers' deadlines differ and all can mostly be kept; under lasting overload it serves those about to give up.
 * Those who wait for ever starve as long as others come. Every operation is O(log waiters).
 */
public record EarliestDeadline() implements DisciplineSpec {
    @Override
    public Discipline create() {
        return new Line();
    }

    private static final class Line implements Discipline {
        private final TreeSet<Waiter> order = new TreeSet<>(Line::compare);
        private long turns;

        private static int compare(Waiter one, Waiter other) {
            int byDeadline = compareDeadlines(one, other);
            return byDeadline != 0 ? byDeadline : Long.compare(one.turn, other.turn);
        }

        private static int compareDeadlines(Waiter one, Waiter other) {
            if (one.waitsForEver() || other.waitsForEver()) {
                return Boolean.compare(one.waitsForEver(), other.waitsForEver());
            }
            return Long.compare(one.endsBefore(other), 0);
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
            return !order.isEmpty() && compareDeadlines(newcomer, order.last()) < 0;
        }
    }
}
