package dev.weir.keyed;

import dev.weir.Ticker;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A limit for each key: a {@linkplain dev.weir.Request#key() request's key} is counted by a strategy of its own, made
 * when the key is first asked for. At most {@code maxKeys} strategies are kept, whoever floods the table, and yet no key
 * is ever granted more than its limit allows:
 *
 * <ul>
 *   <li>what an evicted key had used is kept in a sketch of fixed size, as its algorithm tells it ({@link
 *       StrategySpec#evictedState}), and the key starts from that when it comes back: a bucket with what is missing, a
 *       window with what was used in it and when, a sliding window to a thirteenth of its period. Two keys may fall on
 *       the same cells; then one of them may be thought to have used what the other did. It may be refused too soon, never
 *       granted too often. What is given back after its key was evicted stays used;
 *   <li>a key with permits in flight is not evicted, so such keys may be more than {@code maxKeys}: put a limit on all of
 *       them together beside it.
 * </ul>
 *
 * <p><b>Keys.</b> A key is a String, {@link Dimensions}, or any value with {@code equals} and {@code hashCode} of bounded
 * size. A request with a null or empty key is refused as {@code NEVER}. Strings of more than 128 chars are kept as a
 * 128-bit digest under a secret of the table. Keys of other types should be {@code Comparable} to their own class if
 * clients choose them: those with one hash code are otherwise told apart one by one.
 *
 * <p><b>Size of the sketch.</b> Take at least four {@code debtCells} for each key that is evicted within the time in
 * which a strategy goes from empty to full (eight in both rows). Then honest keys get 99 per cent of what they would
 * without eviction, windows at a load of up to 75 per cent. A sketch that is too full climbs to refusing everybody. The
 * detail {@code debtCellsPermille} tells how full it is; above 220 the detail {@code debtCellsTooFew} is 1, and a warning
 * is logged once. A cell takes 8 bytes in each row, 16 where permits arrive in batches, 24 for a sliding window of a limit up to
 * 511, 32 for a {@code FirstHitQuota}.
 *
 * <p><b>Change.</b> The limit is that of each key. Another limit or another {@code perKey} of the same kind (holding or not)
 * and the same dimension is in force for each key that asks after it: each goes on as {@code docs/changes.md} says,
 * by itself. The thread that makes the change goes through all keys and cells afterwards, holding up nobody. Of an evicted
 * key a change keeps how many permits it had used. {@code limit} and {@code inFlight} are those of one key, and the sum
 * over all keys (found by counting).
 *
 * <p>A rate for each key must have a {@link dev.weir.spi.Strategy#refillRate refill rate}, or the table cannot be created ({@code
 * IllegalArgumentException}).
 *
 * @param perKey the limit of one key, not itself keyed
 * @param maxKeys how many keys are kept, 1 to 2^30
 * @param debtCells cells of the sketch in each of its two rows, 1 to 2^29, rounded up to a power of two
 * @param hitters who is told which keys are the heaviest; null = nobody
 * @param dimension which of the {@link Dimensions} of a request's key is the key here, -1 for all of it, at most 15; a key
 *     that has no such dimension is no key
 */
public record Keyed(
        StrategySpec perKey,
        long maxKeys,
        long debtCells,
        @Nullable HeavyHitters hitters,
        int dimension) implements StrategySpec {
    private static final long MOST_KEYS = 1L << 30;
    private static final long MOST_CELLS = 1L << 29;
    private static final long FEW_CELLS = 1L << 16;

    /** Checks the components. */
    public Keyed {
        Objects.requireNonNull(perKey, "perKey");
        if (perKey.parts().stream().anyMatch(Keyed.class::isInstance)) {
            throw new IllegalArgumentException("perKey must be the limit of one key, was " + perKey);
        }
        if (maxKeys < 1 || maxKeys > MOST_KEYS) {
            throw new IllegalArgumentException("maxKeys must be >= 1 and <= " + MOST_KEYS + ", was " + maxKeys);
        }
        if (debtCells < 1 || debtCells > MOST_CELLS) {
            throw new IllegalArgumentException("debtCells must be >= 1 and <= " + MOST_CELLS + ", was " + debtCells);
        }
        if (dimension < -1 || dimension >= Dimensions.MOST) {
            throw new IllegalArgumentException(
                    "dimension must be >= -1 and < " + Dimensions.MOST + ", was " + dimension);
        }
    }

    /**
     * This limit for each key. The sketch has at least half as many cells as the table has room for keys, and at least
     * 65,536 (1 MiB for a bucket; made when the first key is evicted).
     */
    public static Keyed of(StrategySpec perKey, long maxKeys) {
        long cells = Math.min(MOST_CELLS, Math.max(FEW_CELLS, Long.highestOneBit(Math.max(1, maxKeys))));
        return new Keyed(perKey, maxKeys, cells, null, -1);
    }

    /**
     * The same by one of the request's {@link Dimensions} alone, so that several tables can stand in one {@code AllOf}
     * and each take its own.
     */
    public Keyed by(int dimension) {
        return new Keyed(perKey, maxKeys, debtCells, hitters, dimension);
    }

    /** The same with another limit for each key. */
    public Keyed withPerKey(StrategySpec perKey) {
        return new Keyed(perKey, maxKeys, debtCells, hitters, dimension);
    }

    /** The same with a sketch of another size. */
    public Keyed withDebtCells(long debtCells) {
        return new Keyed(perKey, maxKeys, debtCells, hitters, dimension);
    }

    /** The same, telling which keys are granted and refused most. */
    public Keyed watchedBy(HeavyHitters hitters) {
        return new Keyed(perKey, maxKeys, debtCells, hitters, dimension);
    }

    int sketchRow() {
        return (int) (debtCells == 1 ? 1 : Long.highestOneBit(debtCells - 1) << 1);
    }

    @Override
    public Strategy create(Ticker ticker) {
        Rule rule = Rule.of(perKey, ticker);
        return rule.pattern().traits().holds() ? new KeyedHolders(this, rule) : new KeyedRates(this, rule);
    }

    @Override
    public Keyed after(@Nullable RampProgress ramp, Ticker ticker) {
        return withPerKey(perKey.after(ramp, ticker));
    }

    /** A table by the same keys, whose limits are of the same kind (holding or not), goes on with every key. */
    @Override
    public boolean adjust(Strategy running) {
        if (running instanceof KeyedHolders holders) {
            return holders.change(this);
        }
        return running instanceof KeyedRates rates && rates.change(this);
    }
}
