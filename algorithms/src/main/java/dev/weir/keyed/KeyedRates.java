package dev.weir.keyed;

import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Traits;
import dev.weir.succession.InFlight;
import dev.weir.succession.KeyedTotal;
import dev.weir.succession.PartStrategy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rates for each key. A grant holds nothing, so no permit needs the strategy of its key. */
record KeyedRates(KeyTable table) implements KeyedStrategy {
    /*
     * A grant counts only if it was taken before its entry was retired:
     *
     *     request                              eviction, under the key's lock
     *     reads the strategy of the entry
     *                                          strategy of the entry := RETIRED
     *                                          reads what was used and saves it
     *     acquires, too late
     *     reads the strategy again: RETIRED
     *
     * Then the request waits for the key's lock. If the key still has this strategy, that was only a change in place. If it has
     * not, the grant was lost, and it asks the new one, which has the saved debt. A rejection by a strategy that was retired
     * meanwhile is tried again in the same way.
     */
    @Override
    public long acquire(Request request) {
        Object key = table.keyOf(request);
        if (key == null) {
            return NEVER;
        }
        for (; ; ) {
            KeyEntry entry = table.entry(key);
            PartStrategy strategy = entry.strategy();
            if (table.holds()) {
                return UNAVAILABLE; // it is being replaced by a limit that holds
            }
            long answer = strategy.acquire(request);
            if (table.counts(key, entry, strategy)) {
                table.reduce(key, strategy);
                table.record(key, request, answer);
                return answer;
            }
        }
    }

    /**
     * Nothing that was granted before the last change, because the key may have another strategy since. What an evicted key had
     * used stays in the sketch, so the refund of a grant from before holds only until the next eviction.
     */
    @Override
    public boolean refunds(long grantedAt) {
        return table.began(grantedAt);
    }

    @Override
    public KeyedConcurrency otherwise() {
        return new KeyedConcurrency(table);
    }

    @Override
    public void countIn(List<InFlight> all, @Nullable KeyedTotal total) {}

    /** The rejection of one key does not imply the rejection of another. */
    @Override
    public Traits traits() {
        return Traits.RATE.explaining(true);
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return table.keyOf(request) == null
                ? Rejection.Reason.KEY_MISSING
                : table.pattern().reason(request, answer);
    }
}
