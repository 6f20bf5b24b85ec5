package dev.weir.keyed;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.keyed.KeyStates.EvictedKey;
import dev.weir.succession.Used;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** An upper bound of what each evicted key has used, in fixed space. Thread-safe. */
final class DebtSketch {
    /*
     * Each key has one cell in each of two rows, by the two halves of its hash. A cell holds a state as strict as that of
     * each key that was added to it, so a key has used no more than either of its two cells says. A state becomes free as
     * time passes, so the sketch needs no cleaning.
     *
     * What an evicted key used is added to the sketch of a generation only while that is in force. Whether it is, is read under
     * the lock of the key's stripe of the sketch; the changing thread publishes first, and takes that lock to copy the cells:
     *
     *     evicting thread                    changing thread
     *     locks the stripe
     *     generation: still this one
     *                                        generation := next
     *     adds to the stripe                 copies the stripe: waits for its lock
     *     unlocks                            :
     *                                        copies what was added
     *
     * A thread that locks the stripe after the copy reads the next generation, and adds the key there.
     *
     * The debts from before a change are kept beside the states, once there are any: as times, whatever the algorithm.
     *
     * The cells are divided into stripes by the four highest bits of the hash, which choose no cell: both cells of a key are in
     * one stripe, so they are written and read together under its lock, and keys of different stripes do not wait for each other.
     * A small sketch has fewer stripes, since in a stripe of few cells two keys often share both.
     */
    private static final int ROWS = 2;
    private static final int STRIPES = 16;
    private static final int CELLS_IN_STRIPE = 256;
    private static final int MAX_SAMPLES = 1 << 12;
    private static final long MAX_LONGS = 1L << 30;

    final Rule rule;
    private final KeyStates format;
    private final Stripe[] stripes;
    private final int mask;

    /** With this many cells in each row, a power of two; fewer if they would take more than 2^30 longs. */
    DebtSketch(Rule rule, int cellsInRow) {
        this.rule = rule;
        this.format = rule.states();
        long max = Long.highestOneBit(MAX_LONGS / Math.max(1, Math.max(format.longs(), format.debts())));
        int cells = (int) Math.min(cellsInRow, max);
        int count = Math.max(1, Math.min(STRIPES, cells / CELLS_IN_STRIPE));
        this.stripes = new Stripe[count];
        this.mask = cells / count - 1;
        Arrays.setAll(stripes, i -> new Stripe());
    }

    private Stripe stripe(long hash) {
        return stripes[(int) (hash >>> 60) & (stripes.length - 1)];
    }

    private int cell(int row, long hash) {
        return (int) (hash >>> (32 * row)) & mask;
    }

    /** Adds a key if the condition holds under the lock of its cells. Returns how many its stripe got so far; 0 if it was not added. */
    int add(long hash, EvictedKey evicted, BooleanSupplier condition) {
        return stripe(hash).add(hash, evicted, condition);
    }

    /** Adds a key that used this much by an earlier rule, if the condition holds. Returns whether it was added. */
    boolean addUsed(long hash, Used used, BooleanSupplier condition) {
        return add(hash, new EvictedKey(new long[format.longs()], format.debtsOf(used)), condition) > 0;
    }

    /** The most that the key with this hash may have used; null if nothing. */
    @Nullable
    EvictedKey find(long hash) {
        return stripe(hash).find(hash);
    }

    /** The number of steps in which an earlier sketch is copied to this one; 0 if it is empty. */
    int steps(DebtSketch earlier) {
        boolean isEmpty = Arrays.stream(earlier.stripes).allMatch(Stripe::isEmpty);
        return isEmpty ? 0 : Math.max(stripes.length, earlier.stripes.length) * cells(earlier);
    }

    private int cells(DebtSketch earlier) {
        return Math.max(mask, earlier.mask) + 1;
    }

    /** Copies one cell of each row of an earlier sketch to this one, as debts. */
    void copy(DebtSketch earlier, int step) {
        int number = step / cells(earlier);
        Stripe from = earlier.stripes[number & (earlier.stripes.length - 1)];
        Stripe to = stripes[number & (stripes.length - 1)];
        for (int row = 0; row < ROWS; row++) {
            EvictedKey used = from.used(row, step & earlier.mask);
            if (used != null) {
                to.raise(row, step & mask, format.debtsOf(earlier.format.used(used)));
            }
        }
    }

    /** The cells per thousand that are in use now, estimated from a sample. */
    long permilleInUse() {
        int sampled = Math.min(MAX_SAMPLES / stripes.length, mask + 1);
        long inUse = 0;
        for (Stripe stripe : stripes) {
            inUse += stripe.inUse(sampled);
        }
        return 1000 * inUse / ((long) sampled * stripes.length);
    }

    private static boolean isZero(long @Nullable [][] all, int row, int cell, int longs) {
        boolean zero = true;
        for (int i = cell * longs; all != null && zero && i < (cell + 1) * longs; i++) {
            zero = all[row][i] == 0;
        }
        return zero;
    }

    private static long[] part(long[] all, int cell, int longs) {
        return Arrays.copyOfRange(all, cell * longs, (cell + 1) * longs);
    }

    /** The cells of the keys with the same four highest bits. Thread-safe. */
    private final class Stripe {
        @GuardedBy("this")
        private long @Nullable [][] states;

        @GuardedBy("this")
        private long @Nullable [][] debts;

        @GuardedBy("this")
        private int added;

        synchronized int add(long hash, EvictedKey evicted, BooleanSupplier condition) {
            if (!condition.getAsBoolean()) {
                return 0;
            }
            long[][] all = states == null ? new long[ROWS][(mask + 1) * format.longs()] : states;
            states = all;
            for (int row = 0; row < ROWS; row++) {
                int cell = cell(row, hash);
                long[] state = part(all[row], cell, format.longs());
                format.combine(state, evicted.states(), true);
                System.arraycopy(state, 0, all[row], cell * state.length, state.length);
                if (evicted.debts() != null) {
                    raise(row, cell, evicted.debts());
                }
            }
            added = added == Integer.MAX_VALUE ? 1 : added + 1;
            return added;
        }

        synchronized void raise(int row, int cell, long[] until) {
            long[][] all = debts == null ? new long[ROWS][(mask + 1) * format.debts()] : debts;
            debts = all;
            for (int i = 0; i < until.length; i++) {
                int at = cell * until.length + i;
                all[row][at] = Math.max(all[row][at], until[i]);
            }
        }

        @GuardedBy("this")
        private EvictedKey at(int row, int cell) {
            long[][] all = states;
            long[][] allDebts = debts;
            return new EvictedKey(
                    all == null ? new long[format.longs()] : part(all[row], cell, format.longs()),
                    allDebts == null ? null : part(allDebts[row], cell, format.debts()));
        }

        @GuardedBy("this")
        private boolean isZero(int row, int cell) {
            return DebtSketch.isZero(states, row, cell, format.longs())
                    && DebtSketch.isZero(debts, row, cell, format.debts());
        }

        synchronized @Nullable EvictedKey find(long hash) {
            if (isZero(0, cell(0, hash)) || isZero(1, cell(1, hash))) {
                return null;
            }
            EvictedKey evicted = at(0, cell(0, hash));
            EvictedKey other = at(1, cell(1, hash));
            format.combine(evicted.states(), other.states(), false);
            long[] one = evicted.debts();
            long[] two = other.debts();
            if (one != null && two != null) {
                Arrays.setAll(one, i -> Math.min(one[i], two[i]));
            }
            return format.isFree(evicted) ? null : evicted;
        }

        /** The state in a cell; null if it is free. */
        synchronized @Nullable EvictedKey used(int row, int cell) {
            if (isZero(row, cell)) {
                return null;
            }
            EvictedKey found = at(row, cell);
            return format.isFree(found) ? null : found;
        }

        synchronized boolean isEmpty() {
            return states == null && debts == null;
        }

        /** The number of cells in use, of so many of the first row. */
        synchronized int inUse(int sampled) {
            int step = (mask + 1) / sampled;
            int inUse = 0;
            for (int i = 0; i < sampled; i++) {
                inUse += used(0, i * step) == null ? 0 : 1;
            }
            return inUse;
        }
    }
}
