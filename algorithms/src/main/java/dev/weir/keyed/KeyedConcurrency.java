package dev.weir.keyed;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.HandsOver;
import dev.weir.succession.InFlight;
import dev.weir.succession.Succession;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A concurrency limit for each key. A permit returns to the strategy that granted it, whatever happened to its key. */
final class KeyedConcurrency implements KeyedStrategy, HandsOver {
    /*
     * A key has one entry: in the table or, if it was evicted with permits in flight, in `retained` beside it. A retained entry
     * returns to the table when its key gets a request, and ends when its last permit is released. Moves between the two run
     * under the key's lock in the table; a retained entry ends under its lock in `retained`.
     *
     * An entry is retired when it ends, with nothing in flight, or when it is replaced by one with another strategy, to
     * which its permits in flight are handed over. A request and the thread that retires the entry each write first, and
     * then read what the other wrote:
     *
     *     request                    retiring thread                  release
     *     acquire (a CAS)            phase := RETIRED                 release (a CAS)
     *     reads phase                reads what is in flight:         reads phase: not LIVE ->
     *                                  0 -> it stays RETIRED            may a retained entry end?
     *                                  else -> RETAINED
     *
     * So a request that finds its entry not retired is counted. A request that finds it retired releases what it got and
     * asks the present entry of the key. For that moment it may have caused the rejection of another request; but it asks
     * again itself, so the other request would have been refused a moment later too, or is signalled when this one releases.
     */
    private final ConcurrentMap<Object, KeyEntry> retained = new ConcurrentHashMap<>();
    private final KeyTable<KeyEntry> table;

    KeyedConcurrency(KeyTable.Settings settings, Rule rule) {
        table = new KeyTable<>(settings, rule, new ConcurrencyEntries());
    }

    @Override
    public KeyTable<?> table() {
        return table;
    }

    private final class ConcurrencyEntries implements KeyTable.EntryLifecycle<KeyEntry> {
        @Override
        public KeyEntry create(Object key, KeyTable.Generation by) {
            KeyEntry entry = retained.remove(key);
            return entry == null ? fresh(key, by) : entry.by(by.rule()).live();
        }

        @Override
        public void evicting(Object key, KeyEntry entry) {
            if (!ends(key, entry)) {
                retained.put(key, entry);
                endIfIdle(key);
            }
        }

        @Override
        public void evicted(Object key) {}

        @Override
        public void update(Object key) {
            table.compute(key, entry -> entry.by(table.generation().rule()));
        }
    }

    private KeyEntry fresh(Object key, KeyTable.Generation by) {
        Succession past = table.past(key, by);
        Strategy made = past == null ? table.create(key, by) : past.strategy();
        return new KeyEntry(this, made, by.rule(), past);
    }

    private boolean ends(Object key, KeyEntry entry) {
        if (!entry.retiresIfIdle()) {
            return false;
        }
        Succession past = entry.past();
        if (past == null) {
            table.saveEvicted(key, entry.strategy, entry.rule());
        } else {
            table.saveUsed(key, past.used());
        }
        return true;
    }

    /** Ends the retained entry of a key, if there is one with nothing in flight. */
    void endIfIdle(Object key) {
        retained.computeIfPresent(key, (k, entry) -> entry.strategy.inFlight() == 0 && ends(k, entry) ? null : entry);
    }

    /* Retained entries after those of the table: an entry retained since is found here, one that returned is up to date. */
    @Override
    public void settle() {
        table.settle();
        retained.keySet()
                .forEach(key -> retained.computeIfPresent(
                        key, (k, entry) -> entry.by(table.generation().rule())));
    }

    /** The permits in flight of each key are also counted by all successors, and by the next strategy of the key. */
    @Override
    public void handOver(List<InFlight> successors) {
        Set<KeyEntry> made = Collections.newSetFromMap(new IdentityHashMap<>());
        Predicate<KeyEntry> isOld = entry -> entry.strategy.inFlight() > 0 && !made.contains(entry);
        UnaryOperator<KeyEntry> change = entry -> {
            KeyEntry next = isOld.test(entry) ? entry.handingOver(successors) : entry;
            made.add(next);
            return next;
        };
        List<Object> keys = new ArrayList<>();
        table.forEach((key, entry) -> {
            if (isOld.test(entry)) {
                keys.add(key);
            }
        });
        keys.forEach(key -> table.compute(key, change));
        retained.keySet().forEach(key -> retained.computeIfPresent(key, (k, entry) -> change.apply(entry)));
    }

    @Override
    public Traits traits() {
        return Traits.CONCURRENCY
                .routing(true)
                .refunding(table.pattern().traits().refunds());
    }

    @Override
    public Strategy route(Request request) {
        Object key = table.keyOf(request);
        return key == null ? new WithoutKey(this) : new KeyRoute(table, key);
    }

    @Override
    public long acquire(Request request) {
        return route(request).acquire(request);
    }

    /** Without its route it is unknown which strategy granted the permit: it returns to the key's present one. */
    @Override
    public void release(Request request, Outcome outcome) {
        Object key = table.keyOf(request);
        if (key != null) {
            KeyEntry entry = table.entry(key);
            entry.strategy.release(request, outcome);
            entry.released(key);
        }
    }

    @Override
    public void refund(Request request, long grantedAt) {
        Object key = table.keyOf(request);
        if (key != null) {
            table.entry(key).strategy.refund(request, grantedAt);
        }
    }

    /** The sum over all keys, found by counting: 0 if and only if nothing is in flight. */
    @Override
    public long inFlight() {
        long[] sum = {0};
        table.forEach((key, entry) -> sum[0] += entry.strategy.inFlight());
        retained.values().forEach(entry -> sum[0] += entry.strategy.inFlight());
        return sum[0];
    }

    @Override
    public @Nullable Quota quota(Request request) {
        Object key = table.keyOf(request);
        if (key == null) {
            return null;
        }
        KeyEntry entry = table.known(key);
        entry = entry == null ? retained.get(key) : entry;
        entry = entry == null ? table.stable(key) : entry; // it may just return from the retained ones, under its lock
        return (entry == null ? fresh(key, table.generation()) : entry).strategy.quota(request);
    }

    @Override
    public Map<String, Long> details() {
        Map<String, Long> details = new TreeMap<>(table.details());
        details.put("retainedKeys", (long) retained.size());
        return details;
    }

    /** The strategy of requests without a key, all of which it refuses. */
    private record WithoutKey(KeyedConcurrency all) implements Strategy {
        @Override
        public long acquire(Request request) {
            return NEVER;
        }

        @Override
        public Rejection.Reason reason(Request request, long answer) {
            return Rejection.Reason.KEY_MISSING;
        }

        @Override
        public long limit() {
            return all.limit();
        }

        @Override
        public void setLimit(long limit) {}
    }
}
