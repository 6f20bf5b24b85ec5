package dev.weir.keyed;

import dev.weir.Ticker;
import dev.weir.internal.Require;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartSpec;
import dev.weir.succession.Parts;
import dev.weir.succession.RampProgress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A limit for each key: a strategy of its own counts each {@linkplain dev.weir.Request#key() key}. It is created when the key
 * gets its first request. At most {@code maxKeys} strategies are kept, however many keys clients send, and still no key is
 * granted more than its limit allows:
 *
 * <ul>
 *   <li>What an evicted key has used is kept in a sketch of fixed size, in the form its algorithm defines, and the key starts from
 *       it when it returns: a bucket from what is missing, a window from what was used in it and when (a sliding window to a
 *       thirteenth of its period). Two keys may share their cells; then
 *       one may count what the other used. It may be refused too early, but is never granted too much. What is refunded
 *       after its key was evicted stays used. A key of which everything has refilled is one that was never seen: a bucket with fewer
 *       tokens at the start than it holds starts with these.
 *   <li>A key with permits in flight is not evicted, so there may be more such keys than {@code maxKeys}: add one limit for
 *       all of them together.
 * </ul>
 *
 * <pre>{@code
 * // 100 per second for each client, 10,000 clients in memory
 * StrategySpec perClient = TokenBucket.of(100, Duration.ofSeconds(1));
 * Limiter clients = Limiters.of("clients", Keyed.of(perClient, 10_000));
 * Decision decision = clients.tryAcquire(Request.forKey("client-7"));
 * }</pre>
 *
 * <p><b>Keys.</b> A key is a String, {@link Dimensions} (strings by name), {@link KeyValues}, or any value of bounded size with
 * {@code equals} and {@code hashCode}. A request with a null or empty key is refused as {@code KEY_MISSING}. Strings of more
 * than 128 chars are stored as a 128-bit digest with a secret of the table. If clients choose keys of other types, these should
 * be {@code Comparable} to their own class: otherwise keys with the same hash code are searched one by one.
 *
 * <p><b>Size of the sketch.</b> Use at least four {@code debtCells} for each key that is evicted within the time in which a
 * strategy refills from empty to full (eight in both rows). Then well-behaved keys get 99 per cent of what they would get
 * without eviction; keys with windows, at a load of up to 75 per cent. A sketch that is too full refuses more and more keys.
 * The detail {@code debtCellsPermille} tells how full it is. Above 220 the detail {@code debtCellsTooFew} is 1, and a warning
 * is logged once. A cell takes 8 bytes in each row, 16 if permits arrive in batches, 24 for a sliding window with a limit up
 * to 511, 32 for a {@code FirstHitQuota}.
 *
 * <p><b>Change.</b> The limit is that of each key. Another {@code perKey} by the same names is in force for each key from its
 * next request; each key continues as {@code docs/how/changes.md} says, also if a concurrency limit comes or goes beside its
 * rate. The thread that makes the change then updates all keys and cells, without blocking requests. Of an evicted key, a change
 * keeps the number of permits it has used. {@code limit} is that of one key. {@code inFlight} is what its limiter has in flight; of
 * a strategy without a limiter the sum over all keys, found by counting.
 *
 * @param perKey the limit of one key, not itself keyed; a rate must have an {@link Strategy#account account}, or {@link
 *     #create} throws an {@code IllegalArgumentException}
 * @param maxKeys how many keys are kept, 1 to 2^30
 * @param debtCells the cells of the sketch in each of its two rows, 1 to 2^29, rounded up to a power of two
 * @param hitters records which keys are the heaviest; null = none
 * @param by the names of the {@link Dimensions} of a request's key whose values are the key here; sorted, each once; empty = the
 *     whole key. A request whose key is none of {@code Dimensions}, or in which one of these names has no value, has no key here
 */
public record Keyed(
        StrategySpec perKey,
        long maxKeys,
        long debtCells,
        @Nullable HeavyHitters hitters,
        List<String> by) implements PartSpec {
    private static final long MAX_KEYS = 1L << 30;
    private static final long MAX_CELLS = 1L << 29;
    private static final long MIN_CELLS = 1L << 16;

    /**
     * @throws IllegalArgumentException if a number is out of its range, {@code perKey} is keyed itself, or a name is empty
     * @throws NullPointerException if {@code perKey}, {@code by} or a name is null
     */
    public Keyed {
        Objects.requireNonNull(perKey, "perKey");
        boolean isOfOneKey = perKey.parts().stream().noneMatch(Keyed.class::isInstance);
        Require.that(isOfOneKey, "perKey must be the limit of one key", perKey);
        Require.that(maxKeys >= 1 && maxKeys <= MAX_KEYS, "maxKeys must be >= 1 and <= " + MAX_KEYS, maxKeys);
        Require.that(debtCells >= 1 && debtCells <= MAX_CELLS, "debtCells must be >= 1 and <= " + MAX_CELLS, debtCells);
        by.forEach(Dimensions::checked);
        by = by.stream().sorted().distinct().toList();
        if (by.size() > Dimensions.MAX) {
            throw new IllegalArgumentException("by must be at most " + Dimensions.MAX + " names, were " + by.size());
        }
    }

    /**
     * This limit for each key. Each row of the sketch has at least {@code maxKeys / 2} cells, and at least 65,536 (1 MiB in
     * all for a bucket; allocated when the first key is evicted).
     *
     * @throws IllegalArgumentException if {@code maxKeys} is not 1 to 2^30 or {@code perKey} is keyed itself
     */
    public static Keyed of(StrategySpec perKey, long maxKeys) {
        long cells = Math.min(MAX_CELLS, Math.max(MIN_CELLS, Long.highestOneBit(Math.max(1, maxKeys))));
        return new Keyed(perKey, maxKeys, cells, null, List.of());
    }

    /**
     * The same by the values of these names in the {@link Dimensions} of a request's key: for one name its value, for several the
     * list of their values. Several tables in one {@code AllOf} can count by different names.
     *
     * @param names at most 16, in any order; none = the whole key
     * @throws IllegalArgumentException if there are more than 16 names, or one is empty
     */
    public Keyed by(String... names) {
        return new Keyed(perKey, maxKeys, debtCells, hitters, List.of(names));
    }

    /**
     * The same with another limit for each key.
     *
     * @throws IllegalArgumentException if {@code perKey} is keyed itself
     */
    public Keyed withPerKey(StrategySpec perKey) {
        return new Keyed(perKey, maxKeys, debtCells, hitters, by);
    }

    /**
     * The same with a sketch of another size.
     *
     * @throws IllegalArgumentException if {@code debtCells} is not 1 to 2^29
     */
    public Keyed withDebtCells(long debtCells) {
        return new Keyed(perKey, maxKeys, debtCells, hitters, by);
    }

    /** The same, recording which keys are granted and refused most. */
    public Keyed watchedBy(HeavyHitters hitters) {
        return new Keyed(perKey, maxKeys, debtCells, hitters, by);
    }

    @Override
    public Keyed withLimit(long limit) {
        return withPerKey(Parts.of(perKey).withLimit(limit));
    }

    @Override
    public List<String> countsBy() {
        return by;
    }

    private KeyTable.Settings settings() {
        int cellsInRow = (int) (debtCells == 1 ? 1 : Long.highestOneBit(debtCells - 1) << 1);
        return new KeyTable.Settings(by, maxKeys, cellsInRow, hitters);
    }

    @Override
    public Strategy create(Ticker ticker) {
        Rule rule = Rule.of(perKey, ticker);
        KeyTable table = new KeyTable(settings(), rule);
        return rule.holds() ? new KeyedStrategy.Concurrency(table) : new KeyedStrategy.Rates(table);
    }

    @Override
    public Keyed after(@Nullable RampProgress ramp, Ticker ticker) {
        return withPerKey(Parts.of(perKey).after(ramp, ticker));
    }

    /** Continues a table by the same names, with every key, if a grant holds permits as it does now. */
    @Override
    public boolean adjust(Strategy running) {
        return running instanceof KeyedStrategy table && table.change(perKey, settings());
    }
}
