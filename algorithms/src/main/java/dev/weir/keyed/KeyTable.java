package dev.weir.keyed;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.weir.Request;
import dev.weir.keyed.KeyStates.EvictedKey;
import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.KeyedTotal;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Succession;
import dev.weir.succession.Used;
import java.lang.System.Logger;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A bounded table of entries by key, what evicted keys have used, and the rule by which strategies are made. */
final class KeyTable {
    /*
     * The entry of a key is created and evicted under the lock of that key (Caffeine's), so both are ordered, and what was
     * used is saved before the key can return. There is no expiry by time: idle keys are evicted when space is needed.
     *
     * A change publishes the next rule and an empty sketch at once. Until all keys are by that rule the earlier one is `before`:
     * an entry is updated when its key gets a request, when it is evicted, or by the changing thread, afterwards.
     *
     * The changing thread misses no entry. A thread that creates one holds `creating` shared from before it reads
     * `generation` until the entry is in the table; a change is published while `creating` is held exclusively:
     *
     *     creating thread                    changing thread
     *     locks `creating`, shared
     *     creates the entry by generation    waits for `creating`
     *     the entry is in the table          :
     *     unlocks                            generation := next, updates the entries
     *
     * No thread updates an entry by an outdated rule: the next rule is published only after the changing thread has updated
     * every key, for which it needs the key's lock.
     *
     * A key has one entry: in the table or, if it was evicted with permits in flight, in `retained` beside it. A retained entry
     * returns to the table when its key gets a request, and ends when its last permit is released. Moves between the two run
     * under the key's lock in the table; a retained entry ends under its lock in `retained`.
     *
     * An entry is retired when it ends, with nothing in flight, and while it is changed: what it has granted goes to the
     * strategy that follows, which may be the same. A request and the thread that retires the entry each write first, and
     * then read what the other wrote:
     *
     *     request                    retiring thread                  release
     *     acquire (a CAS)            strategy := RETIRED              release (a CAS)
     *     reads strategy             reads what is in flight:         reads `retained`: not empty ->
     *                                  0 -> it stays RETIRED            may a retained entry end?
     *                                  else -> the strategy again
     *
     * So a request that finds its entry not retired is counted. A request that finds it retired waits for the key's lock. If
     * the key has another strategy now, it returns what it got and asks that.
     *
     * Lock order: `creating`, the lock of a key, its lock in `retained`, `this` or the lock of a stripe.
     */
    private static final String LOGGER = "dev.weir.keyed.Keyed";
    private static final int FULL_PERMILLE = 220;
    private static final int CHECKED_EVERY = 1 << 12;

    /** The rule in force, what evicted keys used by it, and the previous generation while keys may not be up to date. */
    record Generation(Rule rule, DebtSketch debts, @Nullable Generation before) {}

    /** The settings of a table, besides the limit of a key. */
    record Settings(
            List<String> by,
            long maxKeys,
            int cellsInRow,
            @Nullable HeavyHitters hitters) {}

    private final Keys keys;
    private final ConcurrentMap<Object, KeyEntry> retained = new ConcurrentHashMap<>();
    private final StampedLock creating = new StampedLock();
    /* An entry is created, evicted and replaced under the lock of its key. */
    private final Cache<Object, KeyEntry> cache;
    private volatile Generation generation;
    private volatile @Nullable HeavyHitters hitters;
    private volatile int cells;
    private volatile @Nullable List<InFlight> all;
    private volatile @Nullable KeyedTotal total;
    private final AtomicBoolean warned = new AtomicBoolean();

    KeyTable(Settings settings, Rule rule) {
        this.keys = new Keys(settings.by);
        this.cells = settings.cellsInRow;
        this.generation = new Generation(rule, new DebtSketch(rule, cells), null);
        this.hitters = settings.hitters;
        this.cache = Caffeine.newBuilder()
                .maximumSize(settings.maxKeys)
                .executor(Runnable::run)
                .evictionListener(this::evicting)
                .build();
    }

    private void evicting(@Nullable Object key, @Nullable KeyEntry entry, RemovalCause cause) {
        if (key != null && entry != null && !ends(key, entry)) {
            retained.put(key, entry);
            endIfIdle(key);
        }
    }

    private boolean ends(Object key, KeyEntry entry) {
        PartStrategy last = entry.retire();
        Succession past = entry.past();
        if ((past == null ? last.inFlight() : past.inFlight()) > 0) {
            entry.revive(last);
            return false;
        }
        try {
            if (past == null) {
                saveEvicted(key, last, rule(entry));
            } else {
                saveUsed(key, past.used());
            }
        } catch (Throwable t) {
            entry.revive(last);
            throw t;
        }
        return true;
    }

    private void endIfIdle(Object key) {
        retained.computeIfPresent(key, (k, entry) -> entry.inFlight() == 0 && ends(k, entry) ? null : entry);
    }

    /** Ends the entry of a key, of which a permit was released, if it is only retained and nothing is in flight. */
    void released(Object key) {
        if (!retained.isEmpty()) {
            endIfIdle(key);
        }
    }

    /* Under the key's lock: until the thread that makes a change has it, the entry is by the rule before. */
    private Rule rule(KeyEntry entry) {
        Generation now = generation;
        return entry.rule(now.before == null ? now.rule : now.before.rule);
    }

    private KeyEntry updated(KeyEntry entry) {
        Rule earlier = rule(entry);
        Rule now = generation.rule;
        return earlier == now ? entry : entry.by(now, earlier);
    }

    private void update(Object key) {
        compute(key, this::updated);
    }

    private KeyEntry compacted(KeyEntry entry) {
        Generation now = generation;
        return now.before == null ? entry.compact(now.rule) : entry;
    }

    private KeyEntry entered(Object key) {
        KeyEntry entry = retained.remove(key);
        return entry == null ? fresh(key) : updated(entry);
    }

    private KeyEntry fresh(Object key) {
        Generation by = generation;
        Succession past = past(key, by);
        PartStrategy made = past == null ? create(key, by) : past.strategy();
        return past == null && by.before == null ? new KeyEntry(made) : new KeyEntry.Changed(made, by.rule, past);
    }

    boolean isBy(List<String> names) {
        return keys.isBy(names);
    }

    /** The key of a request as the table stores it; null if it has none. */
    @Nullable
    Object keyOf(Request request) {
        return keys.stored(request);
    }

    Rule rule() {
        return generation.rule;
    }

    /** The entry of a key, by the rule in force; created if there is none. */
    KeyEntry entry(Object key) {
        if (generation.before != null) {
            update(key);
        }
        KeyEntry present = cache.getIfPresent(key);
        return present != null ? present : created(key);
    }

    /** A strategy with the figures of a key, by the rule in force. Does not count as a use of the key. */
    Strategy quoted(Object key) {
        if (generation.before != null) {
            update(key);
        }
        KeyEntry entry = cache.policy().getIfPresentQuietly(key);
        entry = entry == null ? retained.get(key) : entry;
        entry = entry == null || entry.strategy() == KeyEntry.RETIRED ? stable(key) : entry; // it may be under its lock
        return (entry == null ? fresh(key) : entry).strategy();
    }

    private KeyEntry created(Object key) {
        long stamp = creating.readLock();
        try {
            return cache.get(key, this::entered);
        } finally {
            creating.unlockRead(stamp);
        }
    }

    private @Nullable KeyEntry stable(Object key) {
        return compute(key, entry -> entry);
    }

    /** True if what this strategy of the entry answered counts; false if it may be lost. Waits while the entry is changed. */
    boolean counts(Object key, KeyEntry entry, PartStrategy asked) {
        if (entry.strategy() == asked && asked != KeyEntry.RETIRED) {
            return true;
        }
        KeyEntry now = asked == KeyEntry.RETIRED ? null : stable(key);
        return now != null && IndebtedRate.inner(now.strategy()) == IndebtedRate.inner(asked);
    }

    /** Removes the debt of a key that has refilled, if this is its strategy. */
    void reduce(Object key, PartStrategy strategy) {
        if (IndebtedRate.reduced(strategy) != strategy) {
            compute(key, KeyEntry::reduced);
        }
    }

    /** Applies the action to the strategy of a key, created if there is none, under its lock. */
    void change(Object key, Consumer<Strategy> action) {
        entry(key);
        long stamp = creating.readLock();
        try {
            cache.asMap().compute(key, (k, present) -> {
                KeyEntry entry = present == null ? entered(k) : present;
                action.accept(entry.strategy());
                return entry;
            });
        } finally {
            creating.unlockRead(stamp);
        }
    }

    private @Nullable KeyEntry compute(Object key, UnaryOperator<KeyEntry> change) {
        return cache.asMap().computeIfPresent(key, (k, entry) -> change.apply(entry));
    }

    /** From now on each grant that holds is counted by one of {@code total}, unless that is null, and all by {@code all}. */
    void countIn(List<InFlight> all, @Nullable KeyedTotal total) {
        this.all = all;
        this.total = total;
    }

    @Nullable
    KeyedTotal total() {
        return total;
    }

    /** The permits that its limiter has in flight; without a limiter the sum over all keys, found by counting. */
    long inFlight() {
        List<InFlight> counters = all;
        return counters == null
                ? Stream.concat(cache.asMap().values().stream(), retained.values().stream())
                        .mapToLong(KeyEntry::inFlight)
                        .sum()
                : InFlight.sum(counters);
    }

    /** A new strategy for a key, with all that the key had used. Under the key's lock, unless it is only asked for its figures. */
    private PartStrategy create(Object key, Generation by) {
        KeyStates states = by.rule.states();
        if (states.longs() == 0) {
            return states.restore(null, Used.NONE);
        }
        long hash = keys.hash(key);
        DebtSketch earlier = by.before == null ? by.debts : by.before.debts;
        EvictedKey saved = by.debts.find(hash);
        EvictedKey old = earlier == by.debts ? null : earlier.find(hash); // it stays there when it is copied
        Used used = old == null ? Used.NONE : earlier.rule.states().used(old);
        return states.restore(saved, used);
    }

    /**
     * The change from the rate that a key had when it was evicted to a new strategy by a rule without a rate; null if
     * nothing was used. Under the key's lock.
     */
    private @Nullable Succession past(Object key, Generation by) {
        if (by.rule.states().longs() > 0) {
            return null;
        }
        Rule earlier = by.debts.rule;
        EvictedKey saved = by.debts.find(keys.hash(key));
        return saved == null
                ? null
                : by.rule.succeed(Succession.of(earlier, earlier.states().restore(saved, Used.NONE)));
    }

    /* What a key has used, by the rule in force, when its strategy gets no more requests. Under the key's lock. */
    private void saveEvicted(Object key, PartStrategy strategy, Rule madeBy) {
        PartStrategy last = strategy;
        Rule from = madeBy;
        for (; ; ) {
            Generation now = generation;
            if (now.rule.states().longs() == 0) {
                saveUsed(key, from.states().longs() == 0 ? Used.NONE : KeyStates.used(last));
                return;
            }
            last = now.rule.succeed(last, from);
            from = now.rule;
            EvictedKey saved = now.rule.states().save(last);
            if (saved == null || isAdded(now, keys.hash(key), saved)) {
                return;
            }
        }
    }

    /* What a key has used by a rate that is not in force now. Under the key's lock. */
    private void saveUsed(Object key, Used used) {
        if (used.isNone()) {
            return;
        }
        long hash = keys.hash(key);
        for (boolean added = false; !added; ) {
            DebtSketch debts = generation.debts;
            added = debts.addUsed(hash, used, () -> debts == generation.debts);
        }
    }

    private boolean isAdded(Generation now, long hash, EvictedKey saved) {
        int added = now.debts.add(hash, saved, () -> now == generation);
        if (added == 0) {
            return false;
        }
        boolean isDue = added % CHECKED_EVERY == 0 && !warned.get();
        if (isDue && now.debts.permilleInUse() > FULL_PERMILLE && warned.compareAndSet(false, true)) {
            System.getLogger(LOGGER)
                    .log(
                            Logger.Level.WARNING,
                            "the sketch of evicted keys is too full, keys are refused for what other keys used: set more"
                                    + " than " + cells + " debtCells (logged once)");
        }
        return true;
    }

    /** Puts another limit in force for all keys, present and future. */
    void setLimit(long limit) {
        publish(generation.rule.withLimit(limit), cells);
    }

    /** Puts these settings and this rule in force. Keys are updated when they get a request. */
    void change(Settings settings, Rule next) {
        hitters = settings.hitters;
        publish(next, settings.cellsInRow);
        cache.policy().eviction().ifPresent(size -> size.setMaximum(settings.maxKeys));
    }

    private void publish(Rule next, int cellsInRow) {
        settle();
        Generation was = generation;
        if (next == was.rule && cellsInRow == cells) {
            return;
        }
        cells = cellsInRow;
        DebtSketch debts = next.states().longs() == 0 ? was.debts : new DebtSketch(next, cellsInRow);
        long stamp = creating.writeLock();
        try {
            synchronized (this) {
                generation = new Generation(next, debts, was);
            }
        } finally {
            creating.unlockWrite(stamp);
        }
    }

    /** Updates all keys to the rule in force. */
    void settle() {
        Generation now = generation;
        if (now.before == null) {
            return;
        }
        cache.asMap().keySet().forEach(this::update);
        // After those of the table: an entry that is retained since is found here, one that returned is up to date.
        for (Object key : retained.keySet()) {
            retained.computeIfPresent(key, (k, entry) -> updated(entry));
        }
        DebtSketch earlier = now.before.debts;
        int steps = earlier == now.debts ? 0 : now.debts.steps(earlier);
        for (int step = 0; step < steps; step++) {
            now.debts.copy(earlier, step);
        }
        synchronized (this) {
            generation = now == generation ? new Generation(now.rule, now.debts, null) : generation;
        }
        cache.asMap().keySet().forEach(key -> compute(key, this::compacted));
        retained.keySet().forEach(key -> retained.computeIfPresent(key, (k, entry) -> compacted(entry)));
    }

    /** Records the answer to a request, if heavy hitters are observed. */
    void record(Object key, Request request, long answer) {
        HeavyHitters observer = hitters;
        if (observer != null) {
            observer.record(key, request.amount(), answer == Strategy.GRANTED);
        }
    }

    Map<String, Long> details() {
        long inUse = generation.debts.permilleInUse();
        Map<String, Long> details = new TreeMap<>();
        details.put("keys", cache.estimatedSize());
        details.put("debtCellsPermille", inUse);
        details.put("debtCellsTooFew", inUse > FULL_PERMILLE ? 1L : 0L);
        if (generation.rule.holds()) {
            details.put("retainedKeys", (long) retained.size());
        }
        return details;
    }
}
