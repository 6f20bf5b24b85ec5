package dev.weir.keyed;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongUnaryOperator;

/** What forgotten keys still owe, in a fixed space: never less than they do. */
final class DebtSketch {
    /*
     * A cell holds the latest instant at which any key that fell on it is as good as new; 0 = nobody ever fell on it.
     * Each key falls on one cell in each of two rows, by the two halves of its hash, and owes until the earlier of the
     * two instants: other keys can only make them later. A cell whose instant is past means nothing, so the sketch needs
     * no sweeping.
     *
     * Writers are serial. A reader runs under the lock of its key in the table, as did the writer whose word it must
     * see; what else it may see or miss of other keys' cells makes it stricter or not, never looser.
     */
    private static final int ROWS = 2;
    private static final int MOST_SAMPLED = 1 << 12;

    private final AtomicLongArray cells;
    private final int mask;

    /** So many cells in each row: a power of two. */
    DebtSketch(int cellsInRow) {
        cells = new AtomicLongArray(ROWS * cellsInRow);
        mask = cellsInRow - 1;
    }

    /** The same debts in rows of another size. */
    DebtSketch resized(int cellsInRow) {
        DebtSketch resized = new DebtSketch(cellsInRow);
        for (int row = 0; row < ROWS; row++) {
            for (int i = 0; i <= Math.max(mask, resized.mask); i++) {
                long until = cells.get(cell(row, i));
                if (until != 0) {
                    resized.raise(resized.cell(row, i), until);
                }
            }
        }
        return resized;
    }

    /** The same keys' debts, each after this change of what a debt is. */
    DebtSketch mapped(LongUnaryOperator change, long now) {
        DebtSketch mapped = new DebtSketch(mask + 1);
        for (int i = 0; i < cells.length(); i++) {
            long until = cells.get(i);
            if (until != 0 && until - now > 0) {
                mapped.raise(i, now + change.applyAsLong(until - now));
            }
        }
        return mapped;
    }

    /** The key with this hash owes until this instant. */
    void owes(long hash, long until) {
        for (int row = 0; row < ROWS; row++) {
            raise(cell(row, half(row, hash)), until);
        }
    }

    private void raise(int cell, long until) {
        long known = cells.get(cell);
        if (known == 0 || until - known > 0) {
            cells.set(cell, until == 0 ? 1 : until);
        }
    }

    /** For how many nanoseconds from now the key with this hash owes at most; 0 = not at all. */
    long owed(long hash, long now) {
        long least = Long.MAX_VALUE;
        for (int row = 0; row < ROWS; row++) {
            long until = cells.get(cell(row, half(row, hash)));
            least = Math.min(least, until == 0 ? 0 : until - now);
        }
        return Math.max(0, least);
    }

    /** How many cells in a thousand hold a debt now, from a sample of them. */
    long permilleInUse(long now) {
        int sampled = Math.min(MOST_SAMPLED, mask + 1);
        int step = (mask + 1) / sampled;
        long inUse = 0;
        for (int i = 0; i < sampled; i++) {
            long until = cells.get(i * step);
            inUse += until != 0 && until - now > 0 ? 1 : 0;
        }
        return 1000 * inUse / sampled;
    }

    private static int half(int row, long hash) {
        return (int) (hash >>> (32 * row));
    }

    private int cell(int row, int half) {
        return row * (mask + 1) + (half & mask);
    }
}
