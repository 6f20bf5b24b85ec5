package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;
import java.util.Map;

/**
 * A concurrency limit with partitions by {@link Request#key()}: at most {@code limit} permits in flight; each partition has
 * a guarantee and may borrow what other partitions do not use.
 *
 * <pre>{@code
 * // 60 for paid, 30 for free; half of an unused guarantee may be borrowed
 * Map<Object, Integer> percents = Map.of("paid", 60, "free", 30);
 * Limiter search = Limiters.of("search", new Partitioned(100, percents, 50));
 * }</pre>
 *
 * <p>The guarantee of a partition is its per cent of the limit in force, rounded down. {@code lentPercent} of its unused
 * part may be borrowed by any request; the rest, rounded up, is reserved. Borrowed permits return when they are released,
 * never sooner. Therefore, exactly:
 *
 * <ul>
 *   <li>never more than the limit is granted;
 *   <li>a partition is granted at once any request that keeps it within {@code 100 - lentPercent} per cent of its guarantee,
 *       rounded up, whatever other partitions do. Beyond that it is granted what is neither in flight nor reserved for
 *       others;
 *   <li>a request whose key has no partition, or without a key, is granted only the latter.
 * </ul>
 *
 * <p>After a change of the limit or the percents, and while permits of an earlier strategy are in flight, the second rule
 * holds as soon as the permits in flight beyond the new guarantees are released.
 *
 * <p>{@link Strategy#details()} has {@code <key>.inFlight} and {@code <key>.refused} of each partition, and those of
 * {@code other}: all requests without a partition. A key is shown as text without control characters, at most 64 chars.
 *
 * @param limit permits, 1 to 2^31-1
 * @param percents guarantees by key, each 1 to 100 per cent of the limit, at most 100 in sum
 * @param lentPercent how much of an unused guarantee others may borrow, 0 to 100
 */
public record Partitioned(long limit, Map<Object, Integer> percents, int lentPercent) implements Resizable {
    /**
     * Copies and checks the components.
     *
     * @throws IllegalArgumentException if a number or the sum of the percents is out of its range
     * @throws NullPointerException if the map, a key or a value is null
     */
    public Partitioned {
        Check.within("limit", limit, 1, InFlight.MAX);
        Check.within("lentPercent", lentPercent, 0, 100);
        percents = Map.copyOf(percents);
        long sum = 0;
        for (Map.Entry<Object, Integer> share : percents.entrySet()) {
            sum += Check.within("percent of " + Partitions.name(share.getKey()), share.getValue(), 1, 100);
        }
        Check.within("sum of percents", sum, 0, 100);
    }

    @Override
    public Partitioned withLimit(long limit) {
        return new Partitioned(limit, percents, lentPercent);
    }

    @Override
    public Strategy create(Ticker ticker) {
        Partitions created = new Partitions(new InFlight(limit));
        created.adjust(limit, percents, lentPercent);
        return created;
    }

    /** Partitions that stay keep what they have in flight. */
    @Override
    public boolean adjust(Strategy running) {
        if (running instanceof Partitions partitions) {
            partitions.adjust(limit, percents, lentPercent);
            return true;
        }
        return false;
    }
}
