package dev.weir.keyed;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.Succession;
import java.lang.System.Logger;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A bounded table of entries by key, what evicted keys have used, and the rule by which strategies are made. */
final class KeyTable<S> {
    /*
     * The entry of a key is created and evicted under the lock of that key (Caffeine's), so both are ordered, and what was
     * used is saved before the key can return. There is no expiry by time: idle keys are evicted when space is needed.
     *
     * A change publishes the next rule and an empty sketch at once, whatever the number of keys. Until all keys are by that
     * rule the earlier one is `before`: an entry is updated when its key gets a request, when it is evicted, or by the
     * changing thread, which updates all entries afterwards. To update an entry that is up to date does no harm.
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
     * Lock order: `creating`, the lock of a key, `this`; the lock of a stripe is taken under the lock of a key or none.
     */
    private static final String LOGGER = "dev.weir.keyed.Keyed";
    private static final int FULL_PERMILLE = 220;
    private static final int CHECKED_EVERY = 1 << 12;

    /** The rule in force, what evicted keys used by it, and the previous generation while keys may not be up to date. */
    record Generation(Rule rule, DebtSketch debts, @Nullable Generation before) {}

    /** The settings of a table, besides the limit of a key. */
    record Settings(
            int dimension,
            long maxKeys,
            int cellsInRow,
            @Nullable HeavyHitters hitters) {}

    /** The callbacks of a table that create, update and evict its kind of entry. */
    interface EntryLifecycle<S> {
        /** Creates the entry of a key. Under the key's lock. */
        S create(Object key, Generation by);

        /** Called before an entry is evicted. Under the key's lock. */
        void evicting(Object key, S entry);

        /** Called after an entry was evicted. */
        void evicted(Object key);

        /** Updates the entry of a key, if there is one, to the rule in force. Takes the key's lock. */
        void update(Object key);
    }

    private final Keys keys;
    private final EntryLifecycle<S> entries;
    private final StampedLock creating = new StampedLock();
    /* An entry is created, evicted and replaced under the lock of its key. */
    private final Cache<Object, S> cache;
    private volatile Generation generation;
    private volatile @Nullable HeavyHitters hitters;
    private volatile int cells;

    private final AtomicBoolean warned = new AtomicBoolean();

    KeyTable(Settings settings, Rule rule, EntryLifecycle<S> entries) {
        this.keys = new Keys(settings.dimension);
        this.entries = entries;
        this.cells = settings.cellsInRow;
        this.generation = new Generation(rule, new DebtSketch(rule, cells), null);
        this.hitters = settings.hitters;
        this.cache = Caffeine.newBuilder()
                .maximumSize(settings.maxKeys)
                .executor(Runnable::run)
                .evictionListener(this::evicting)
                .removalListener(this::evicted)
                .build();
    }

    private void evicting(@Nullable Object key, @Nullable S entry, RemovalCause cause) {
        if (key != null && entry != null) {
            entries.evicting(key, entry);
        }
    }

    private void evicted(@Nullable Object key, @Nullable S entry, RemovalCause cause) {
        if (key != null && cause.wasEvicted()) {
            entries.evicted(key);
        }
    }

    boolean isBy(int dimension) {
        return keys.dimension == dimension;
    }

    /** The key of a request as the table stores it; null if it has none. */
    @Nullable
    Object keyOf(Request request) {
        return keys.stored(request.key());
    }

    Generation generation() {
        return generation;
    }

    Strategy pattern() {
        return generation.rule.pattern();
    }

    /** The entry of a key, by the rule in force; created if there is none. */
    S entry(Object key) {
        if (generation.before != null) {
            entries.update(key);
        }
        S present = cache.getIfPresent(key);
        return present != null ? present : created(key);
    }

    /** The entry of a key, by the rule in force; null if there is none. Does not count as a use of the key. */
    @Nullable
    S known(Object key) {
        if (generation.before != null) {
            entries.update(key);
        }
        return cache.policy().getIfPresentQuietly(key);
    }

    private S created(Object key) {
        long stamp = creating.readLock();
        try {
            return cache.get(key, k -> entries.create(k, generation));
        } finally {
            creating.unlockRead(stamp);
        }
    }

    /** The entry of a key if it is in the table and is not being evicted; otherwise null. */
    @Nullable
    S stable(Object key) {
        return compute(key, entry -> entry);
    }

    /** Replaces this entry by another one, if this is the key's. */
    void replace(Object key, S entry, S by) {
        cache.asMap().replace(key, entry, by);
    }

    /** Whether the rule in force had begun at that reading. */
    boolean began(long reading) {
        return generation.rule.began(reading);
    }

    /** Applies the action to the entry of a key, created if there is none, under its lock. */
    void change(Object key, Consumer<S> action) {
        entry(key);
        long stamp = creating.readLock();
        try {
            cache.asMap().compute(key, (k, present) -> {
                S entry = present == null ? entries.create(k, generation) : present;
                action.accept(entry);
                return entry;
            });
        } finally {
            creating.unlockRead(stamp);
        }
    }

    /** Replaces the entry of a key, if there is one, by the result of the function, under its lock. */
    @Nullable
    S compute(Object key, UnaryOperator<S> change) {
        return cache.asMap().computeIfPresent(key, (k, entry) -> change.apply(entry));
    }

    void forEach(BiConsumer<Object, S> action) {
        cache.asMap().forEach(action);
    }

    /**
     * A new strategy for a key, with everything the key had used when it was evicted. Under the key's lock, unless it is only
     * asked for its figures.
     */
    Strategy create(Object key, Generation by) {
        KeyStates states = by.rule.states();
        if (states.longs() == 0) {
            return states.restore(null, 0);
        }
        long hash = keys.hash(key);
        DebtSketch earlier = by.before == null ? by.debts : by.before.debts;
        EvictedKey saved = by.debts.find(hash);
        EvictedKey old = earlier == by.debts ? null : earlier.find(hash); // it stays there when it is copied
        return by.rule
                .states()
                .restore(saved, old == null ? 0 : earlier.rule.states().used(old));
    }

    /**
     * How a new strategy for a key by a rule without a rate replaces the rate that the key had when it was evicted; null if
     * nothing was used. Under the key's lock.
     */
    @Nullable
    Succession past(Object key, Generation by) {
        if (by.rule.states().longs() > 0) {
            return null;
        }
        Rule earlier = by.debts.rule;
        EvictedKey saved = by.debts.find(keys.hash(key));
        return saved == null
                ? null
                : by.rule.succeed(Succession.of(earlier, earlier.states().restore(saved, 0)));
    }

    /**
     * Saves what a key has used, by the rule in force, when its strategy gets no more requests. Under the key's lock.
     *
     * @param madeBy the rule of the strategy; null if it may be the previous one
     */
    void saveEvicted(Object key, Strategy strategy, @Nullable Rule madeBy) {
        Strategy last = strategy;
        Rule from = madeBy;
        for (; ; ) {
            Generation now = generation;
            from = from != null ? from : now.before != null ? now.before.rule : now.rule;
            if (now.rule.states().longs() == 0) {
                saveUsed(key, from.states().longs() == 0 ? 0 : KeyStates.used(last));
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

    /** Saves what a key has used by a rate that is not in force now. Under the key's lock. */
    void saveUsed(Object key, long used) {
        if (used == 0) {
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

    /** The rule that follows if this is the limit of each key. */
    Rule next(StrategySpec perKey) {
        return generation.rule.next(perKey);
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
        cache.asMap().keySet().forEach(entries::update);
        DebtSketch earlier = now.before.debts;
        int steps = earlier == now.debts ? 0 : now.debts.steps(earlier);
        for (int step = 0; step < steps; step++) {
            now.debts.copy(earlier, step);
        }
        synchronized (this) {
            generation = now == generation ? new Generation(now.rule, now.debts, null) : generation;
        }
    }

    /** Records the answer to a request, if heavy hitters are observed. */
    void record(Object key, Request request, long answer) {
        HeavyHitters observer = hitters;
        if (observer != null) {
            observer.record(key, request.permits(), answer == Strategy.GRANTED);
        }
    }

    Map<String, Long> details() {
        long inUse = generation.debts.permilleInUse();
        return Map.of(
                "keys",
                cache.estimatedSize(),
                "debtCellsPermille",
                inUse,
                "debtCellsTooFew",
                inUse > FULL_PERMILLE ? 1L : 0L);
    }
}
