package dev.weir.keyed;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.succession.Succession;
import java.lang.System.Logger;
import java.util.Map;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The keys that are kept, what those have used that are not, and the rule by which all are made. */
final class KeyTable<S> {
    /*
     * Making and evicting a key's entry run under the lock of that key (Caffeine's), so they are in some order, and what
     * was used is written before the key can come back. There is no expiry by time: idle keys leave when room is needed.
     *
     * A change publishes the next rule and an empty sketch at once, whatever the number of keys. Until all are by that
     * rule the earlier one is `before`: an entry is brought up to date when its key is asked for, when it is evicted, or
     * by the changer, who goes through all of them afterwards. It does no harm to update one that is up to date.
     *
     * The changer misses no entry. Who makes one shares `making` from before it reads `regime` until the entry is in the
     * table; a changer publishes while it has `making` to itself:
     *
     *     maker                              changer
     *     shares `making`
     *     makes the entry, by regime         waits for `making`
     *     it is in the table                 :
     *     leaves                             regime := next, goes through the entries
     *
     * Nor does anybody update an entry by a rule of the past: no other rule is published before the changer has been at
     * every key, for which it needs the key's lock.
     *
     * Under `making` locks of keys and `this` are taken, never the other way round.
     */
    private static final int FULL_PERMILLE = 220;
    private static final int CHECKED_EVERY = 1 << 12;

    /** The rule in force, what evicted keys used by it, and what was in force where keys may not be up to date. */
    record Regime(Rule rule, DebtSketch debts, @Nullable Regime before) {}

    /** What is particular to a kind of entry. */
    interface Kind<S> {
        /** Makes the entry of a key. Under the key's lock. */
        S enters(Object key, Regime by);

        /** The entry is being evicted. Under the key's lock. */
        void leaves(Object key, S entry);

        /** The entry is out. */
        void left(Object key);

        /** Brings the entry of a key, if there is one, up to date: by the rule that is in force under the key's lock. */
        void update(Object key);
    }

    private final Keys keys;
    private final Kind<S> kind;
    private final StampedLock making = new StampedLock();
    private final Cache<Object, S> cache;
    private volatile Regime regime;
    private volatile @Nullable HeavyHitters hitters;
    private volatile int cells;
    private int added;
    private boolean complained;

    KeyTable(Keyed spec, Rule rule, Kind<S> kind) {
        this.keys = new Keys(spec.dimension());
        this.kind = kind;
        this.cells = spec.sketchRow();
        this.regime = new Regime(rule, new DebtSketch(rule, cells), null);
        this.hitters = spec.hitters();
        this.cache = Caffeine.newBuilder()
                .maximumSize(spec.maxKeys())
                .executor(Runnable::run)
                .evictionListener(this::leaves)
                .removalListener(this::left)
                .build();
    }

    private void leaves(@Nullable Object key, @Nullable S entry, RemovalCause cause) {
        if (key != null && entry != null) {
            kind.leaves(key, entry);
        }
    }

    private void left(@Nullable Object key, @Nullable S entry, RemovalCause cause) {
        if (key != null && cause.wasEvicted()) {
            kind.left(key);
        }
    }

    boolean isBy(int dimension) {
        return keys.dimension == dimension;
    }

    /** The request's key as it is kept, or null if it has none. */
    @Nullable
    Object keyOf(Request request) {
        return keys.kept(request.key());
    }

    Regime regime() {
        return regime;
    }

    Strategy pattern() {
        return regime.rule.pattern();
    }

    /** The entry of a key, by the rule in force, made if need be. */
    S entry(Object key) {
        if (regime.before != null) {
            kind.update(key);
        }
        S present = cache.getIfPresent(key);
        return present != null ? present : made(key);
    }

    private S made(Object key) {
        long shared = making.readLock();
        try {
            return cache.get(key, k -> kind.enters(k, regime));
        } finally {
            making.unlockRead(shared);
        }
    }

    /** The entry of a key at an instant when it was in the table and was not being evicted, or null. */
    @Nullable
    S settled(Object key) {
        return compute(key, entry -> entry);
    }

    /** Puts another entry in the place of this one, if this is the key's. */
    void replace(Object key, S entry, S by) {
        cache.asMap().replace(key, entry, by);
    }

    /** Whether the rule in force had begun at that reading. */
    boolean began(long reading) {
        return regime.rule.began(reading);
    }

    /** Does something to the entry of a key, made if need be, under its lock. */
    void change(Object key, Consumer<S> action) {
        entry(key);
        long shared = making.readLock();
        try {
            cache.asMap().compute(key, (k, present) -> {
                S entry = present == null ? kind.enters(k, regime) : present;
                action.accept(entry);
                return entry;
            });
        } finally {
            making.unlockRead(shared);
        }
    }

    /** Puts what comes of the entry of a key, if there is one, in its place, under its lock. */
    @Nullable
    S compute(Object key, UnaryOperator<S> change) {
        return cache.asMap().computeIfPresent(key, (k, entry) -> change.apply(entry));
    }

    void forEach(BiConsumer<Object, S> action) {
        cache.asMap().forEach(action);
    }

    /** A new strategy for a key by this rule, with all that it has used when it was evicted. Under its lock. */
    Strategy create(Object key, Regime by) {
        if (by.rule.longs() == 0) {
            return by.rule.restore(null, 0);
        }
        long hash = keys.hash(key);
        DebtSketch earlier = by.before == null ? by.debts : by.before.debts;
        Saved saved;
        Saved old;
        synchronized (this) {
            saved = by.debts.find(hash);
            old = earlier == by.debts ? null : earlier.find(hash);
        }
        return by.rule.restore(saved, old == null ? 0 : earlier.rule.used(old));
    }

    /**
     * How a new strategy for a key by this rule, which has no rate, takes over from the rate that the key had used when
     * it was evicted; null if it had used none. Under its lock.
     */
    @Nullable
    Succession past(Object key, Regime by) {
        if (by.rule.longs() > 0) {
            return null;
        }
        Rule earlier = by.debts.rule;
        Saved saved;
        synchronized (this) {
            saved = by.debts.find(keys.hash(key));
        }
        return saved == null ? null : by.rule.succeed(Succession.of(earlier, earlier.restore(saved, 0)));
    }

    /**
     * Keeps what a key has used whose strategy is asked no more, by the rule in force. Under the key's lock.
     *
     * @param madeBy the rule of the strategy; null if it may be by the one before
     */
    void remember(Object key, Strategy strategy, @Nullable Rule madeBy) {
        Strategy last = strategy;
        Rule from = madeBy;
        for (; ; ) {
            Regime now = regime;
            from = from != null ? from : now.before != null ? now.before.rule : now.rule;
            if (now.rule.longs() == 0) {
                rememberUsed(key, from.longs() == 0 ? 0 : Rule.used(last));
                return;
            }
            last = now.rule.succeed(last, from);
            from = now.rule;
            Saved saved = now.rule.save(last);
            if (saved == null || isAdded(now, keys.hash(key), saved)) {
                return;
            }
        }
    }

    /** Keeps what a key has used by a rate that is not in force now. Under the key's lock. */
    void rememberUsed(Object key, long used) {
        if (used == 0) {
            return;
        }
        synchronized (this) {
            DebtSketch debts = regime.debts;
            debts.add(keys.hash(key), new Saved(new long[debts.rule.longs()], debts.rule.debtsOf(used)));
        }
    }

    private boolean isAdded(Regime now, long hash, Saved saved) {
        boolean isFull;
        synchronized (this) {
            if (now != regime) {
                return false;
            }
            now.debts.add(hash, saved);
            boolean isChecked = ++added % CHECKED_EVERY == 0 && !complained;
            isFull = isChecked && now.debts.permilleInUse() > FULL_PERMILLE;
            complained |= isFull;
        }
        if (isFull) {
            System.getLogger(Keyed.class.getName())
                    .log(
                            Logger.Level.WARNING,
                            "the sketch of evicted keys is too full, keys are refused for what others used: take more"
                                    + " than " + cells + " debtCells (told once)");
        }
        return true;
    }

    /** The rule that follows by this specification. */
    Rule next(Keyed spec) {
        return regime.rule.next(spec.perKey());
    }

    /** Puts another limit in force, for keys to come as well. */
    void setLimit(long limit) {
        publish(regime.rule.withLimit(limit), cells);
    }

    /** Puts this specification in force, with its rule. Keys are brought up to date as they are asked for. */
    void change(Keyed spec, Rule next) {
        hitters = spec.hitters();
        publish(next, spec.sketchRow());
        cache.policy().eviction().ifPresent(size -> size.setMaximum(spec.maxKeys()));
    }

    private void publish(Rule next, int cellsInRow) {
        settle();
        Regime was = regime;
        if (next == was.rule && cellsInRow == cells) {
            return;
        }
        cells = cellsInRow;
        DebtSketch debts = next.longs() == 0 ? was.debts : new DebtSketch(next, cellsInRow);
        long alone = making.writeLock();
        try {
            synchronized (this) {
                regime = new Regime(next, debts, was);
            }
        } finally {
            making.unlockWrite(alone);
        }
    }

    /** Brings all keys up to date. */
    void settle() {
        Regime now = regime;
        if (now.before == null) {
            return;
        }
        cache.asMap().keySet().forEach(kind::update);
        DebtSketch earlier = now.before.debts;
        for (int step = 0; earlier != now.debts && step < now.debts.steps(earlier); step++) {
            synchronized (this) {
                now.debts.takeOver(earlier, step);
            }
        }
        synchronized (this) {
            regime = now == regime ? new Regime(now.rule, now.debts, null) : regime;
        }
    }

    /** Tells what became of a request. */
    void saw(Object key, Request request, long answer) {
        HeavyHitters watching = hitters;
        if (watching != null) {
            watching.saw(key, request.permits(), answer == Strategy.GRANTED);
        }
    }

    Map<String, Long> details() {
        long inUse;
        synchronized (this) {
            inUse = regime.debts.permilleInUse();
        }
        return Map.of(
                "keys",
                cache.estimatedSize(),
                "debtCellsPermille",
                inUse,
                "debtCellsTooFew",
                inUse > FULL_PERMILLE ? 1L : 0L);
    }
}
