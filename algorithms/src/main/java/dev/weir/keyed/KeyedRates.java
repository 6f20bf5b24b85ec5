package dev.weir.keyed;

import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.Succession;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** A rate for each key. A grant holds nothing, so no permit needs the strategy of its key. */
final class KeyedRates implements KeyedStrategy {
    /*
     * A grant counts only if it was taken before its strategy was removed. The evicting thread changes the counter of the
     * key's stripe twice, before and after the removal; a request reads it before and after:
     *
     *     request                              eviction, under the key's lock
     *     reads moves: no eviction
     *     looks up the strategy
     *                                          moves: eviction in progress    (begin)
     *                                          reads the debt and saves it
     *     acquires, too late
     *                                          removes the key
     *                                          moves: no eviction             (end)
     *     reads moves: changed
     *
     * If `moves` did not change and no eviction was in progress, no debt of this key was read in between, so a later reader
     * sees the grant. Otherwise the request checks, under the key's lock, whether its strategy is still the key's. If it is
     * not, its grant was lost with the strategy, and it asks the new one, which has the saved debt. A rejection by a removed
     * strategy is tried again in the same way. Many keys share a stripe, that is one cell of `moves`; that costs an extra check.
     */
    private static final int STRIPES = 1 << 10;
    private static final long MOVING = 0xFFFF;
    private static final long BEGIN = MOVING + 2;
    private static final long END = -1;

    private final AtomicLongArray moves = new AtomicLongArray(STRIPES);
    private final KeyTable<Strategy> table;

    KeyedRates(KeyTable.Settings settings, Rule rule) {
        table = new KeyTable<>(settings, rule, new RateEntries());
    }

    @Override
    public KeyTable<?> table() {
        return table;
    }

    private final class RateEntries implements KeyTable.EntryLifecycle<Strategy> {
        @Override
        public Strategy create(Object key, KeyTable.Generation by) {
            return table.create(key, by);
        }

        @Override
        public void evicting(Object key, Strategy strategy) {
            moves.getAndAdd(stripe(key), BEGIN);
            table.saveEvicted(key, strategy, null);
        }

        @Override
        public void evicted(Object key) {
            moves.getAndAdd(stripe(key), END);
        }

        @Override
        public void update(Object key) {
            moves.getAndAdd(stripe(key), BEGIN);
            try {
                table.compute(key, this::updated);
            } finally {
                moves.getAndAdd(stripe(key), END);
            }
        }

        private Strategy updated(Strategy strategy) {
            KeyTable.Generation now = table.generation();
            KeyTable.Generation before = now.before();
            return before == null ? strategy : now.rule().succeed(strategy, before.rule());
        }
    }

    private static int stripe(Object key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & (STRIPES - 1);
    }

    @Override
    public long acquire(Request request) {
        Object key = table.keyOf(request);
        if (key == null) {
            return NEVER;
        }
        int stripe = stripe(key);
        for (; ; ) {
            long before = moves.get(stripe);
            Strategy strategy = table.entry(key);
            long answer = strategy.acquire(request);
            boolean unchanged = (before & MOVING) == 0 && moves.get(stripe) == before;
            if (unchanged || isOf(key, strategy)) {
                reduce(key, strategy);
                table.record(key, request, answer);
                return answer;
            }
        }
    }

    private boolean isOf(Object key, Strategy strategy) {
        Strategy now = table.stable(key);
        return now != null && Succession.withoutDebt(now) == Succession.withoutDebt(strategy);
    }

    private void reduce(Object key, Strategy strategy) {
        Strategy reduced = Succession.reduced(strategy);
        if (reduced != strategy) {
            table.replace(key, strategy, reduced);
        }
    }

    /**
     * Refunds nothing that was granted before the last change, because the key may have another strategy since. What an
     * evicted key had used stays in the sketch, so the refund of a grant from before holds only until the next eviction.
     */
    @Override
    public void refund(Request request, long grantedAt) {
        Object key = table.keyOf(request);
        if (key != null && table.began(grantedAt)) {
            table.change(key, strategy -> strategy.refund(request, grantedAt));
        }
    }

    /** The rejection of one key does not imply the rejection of another. */
    @Override
    public Traits traits() {
        return Traits.RATE.explaining(true);
    }

    @Override
    public @Nullable Quota quota(Request request) {
        Object key = table.keyOf(request);
        Strategy known = key == null ? null : table.known(key);
        Strategy own = key == null || known != null ? known : table.create(key, table.generation());
        return own == null ? null : own.quota(request);
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return table.keyOf(request) == null
                ? Rejection.Reason.KEY_MISSING
                : table.pattern().reason(request, answer);
    }
}
