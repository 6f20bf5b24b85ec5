package dev.weir.keyed;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An upper bound of what each evicted key has used, in fixed space. Guarded by the lock of its table. */
final class DebtSketch {
    /*
     * Each key has one cell in each of two rows, by the two halves of its hash. A cell holds a state as strict as that of
     * each key that was added to it, so a key has used no more than either of its two cells says. A state becomes free as
     * time passes, so the sketch needs no cleaning.
     *
     * The debts from before a change are kept beside the states, once there are any: as times, whatever the algorithm.
     */
    private static final int ROWS = 2;
    private static final int MAX_SAMPLES = 1 << 12;
    private static final long MAX_LONGS = 1L << 30;

    final Rule rule;
    private final KeyStates format;
    private final int mask;
    private long @Nullable [][] states;
    private long @Nullable [][] debts;

    /** With this many cells in each row, a power of two; fewer if they would take more than 2^30 longs. */
    DebtSketch(Rule rule, int cellsInRow) {
        this.rule = rule;
        this.format = rule.states();
        long max = Long.highestOneBit(MAX_LONGS / Math.max(1, Math.max(format.longs(), format.debts())));
        int cells = (int) Math.min(cellsInRow, max);
        this.mask = cells - 1;
    }

    private int cell(int row, long hash) {
        return (int) (hash >>> (32 * row)) & mask;
    }

    void add(long hash, EvictedKey evicted) {
        long[][] all = states == null ? new long[ROWS][(mask + 1) * format.longs()] : states;
        states = all;
        for (int row = 0; row < ROWS; row++) {
            int cell = cell(row, hash);
            long[] state = part(all[row], cell, format.longs());
            format.combine(state, evicted.states, true);
            System.arraycopy(state, 0, all[row], cell * state.length, state.length);
            if (evicted.debts != null) {
                raise(row, cell, evicted.debts);
            }
        }
    }

    /** Adds a key that used this many permits by an earlier rule. */
    void addUsed(long hash, long used) {
        add(hash, new EvictedKey(new long[format.longs()], format.debtsOf(used)));
    }

    private void raise(int row, int cell, long[] until) {
        long[][] all = debts == null ? new long[ROWS][(mask + 1) * format.debts()] : debts;
        debts = all;
        for (int i = 0; i < until.length; i++) {
            int at = cell * until.length + i;
            all[row][at] = Math.max(all[row][at], until[i]);
        }
    }

    private static long[] part(long[] all, int cell, int longs) {
        return Arrays.copyOfRange(all, cell * longs, (cell + 1) * longs);
    }

    private EvictedKey at(int row, int cell) {
        long[][] all = states;
        long[][] allDebts = debts;
        return new EvictedKey(
                all == null ? new long[format.longs()] : part(all[row], cell, format.longs()),
                allDebts == null ? null : part(allDebts[row], cell, format.debts()));
    }

    private boolean isZero(int row, int cell) {
        return isZero(states, row, cell, format.longs()) && isZero(debts, row, cell, format.debts());
    }

    private static boolean isZero(long @Nullable [][] all, int row, int cell, int longs) {
        boolean zero = true;
        for (int i = cell * longs; all != null && zero && i < (cell + 1) * longs; i++) {
            zero = all[row][i] == 0;
        }
        return zero;
    }

    /** The most that the key with this hash may have used; null if nothing. */
    @Nullable
    EvictedKey find(long hash) {
        if (isZero(0, cell(0, hash)) || isZero(1, cell(1, hash))) {
            return null;
        }
        EvictedKey evicted = at(0, cell(0, hash));
        EvictedKey other = at(1, cell(1, hash));
        format.combine(evicted.states, other.states, false);
        if (evicted.debts != null && other.debts != null) {
            Arrays.setAll(evicted.debts, i -> Math.min(evicted.debts[i], other.debts[i]));
        }
        return format.isFree(evicted) ? null : evicted;
    }

    private boolean isFree(int row, int cell) {
        return isZero(row, cell) || format.isFree(at(row, cell));
    }

    /** The number of steps in which an earlier sketch is copied to this one; 0 if it is empty. */
    int steps(DebtSketch earlier) {
        return earlier.states == null && earlier.debts == null ? 0 : Math.max(mask, earlier.mask) + 1;
    }

    /** Copies one cell of each row of an earlier sketch to this one, as debts. */
    void copy(DebtSketch earlier, int step) {
        for (int row = 0; row < ROWS; row++) {
            int cell = step & earlier.mask;
            if (!earlier.isFree(row, cell)) {
                raise(row, step & mask, format.debtsOf(earlier.format.used(earlier.at(row, cell))));
            }
        }
    }

    /** How many cells per thousand are in use now, estimated from a sample. */
    long permilleInUse() {
        int sampled = Math.min(MAX_SAMPLES, mask + 1);
        int step = (mask + 1) / sampled;
        long inUse = 0;
        for (int i = 0; i < sampled; i++) {
            inUse += isFree(0, i * step) ? 0 : 1;
        }
        return 1000 * inUse / sampled;
    }
}
