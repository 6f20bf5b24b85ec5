package dev.weir.keyed;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.Succession;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The keys that are kept, the debts of those that are not, and the rule by which all are made. */
final class Residents<S extends Strategy> {
    /*
     * Making and evicting a key's entry run under the lock of that key (Caffeine's), so they are in some order, and a
     * debt is written before the key can come back. There is no expiry by time: idle keys leave when room is needed.
     *
     * No entry is left on an old rule. Who makes one shares `making` from before it reads `regime` until the entry is
     * in the table; a changer publishes while it has `making` to itself, and then goes through the entries:
     *
     *     maker                              changer
     *     shares `making`
     *     makes the entry, by regime         waits for `making`
     *     it is in the table                 :
     *     leaves                             regime := next, goes through the entries
     *
     * So the changer meets every entry by the old rule. Changing one that is by the new rule already does no harm.
     * Under `making` locks of keys and `this` are taken, never the other way round.
     *
     * Debts are times until full, and what is full changes with the rule. So a change carries every debt in the sketch
     * over as it does that of a strategy, and the rule and the debts by it are published as one. An entry that leaves
     * while others are being changed is changed first.
     */

    /** The rule in force, the debts by it, and the rule that entries may still be on. */
    record Regime(Rule rule, DebtSketch debts, @Nullable Rule changingFrom) {}

    /** What is particular to a kind of entry. */
    interface Kind<S> {
        /** Makes the entry of a key. Under the key's lock. */
        S enters(Object key, Regime by);

        /** The entry is being taken out for want of room. Under the key's lock. */
        void leaves(Object key, S entry);

        /** The entry is out. */
        void left(Object key);

        /** Brings an entry from one rule to another. */
        void change(Object key, S entry, Rule from, Rule to);
    }

    private final Keys keys;
    private final Kind<S> kind;
    private final StampedLock making = new StampedLock();
    private final Cache<Object, S> cache;
    private final Function<Object, S> maker;
    private volatile Strategy pattern;
    private volatile Regime regime;
    private volatile @Nullable HeavyHitters hitters;

    Residents(Keyed spec, Rule rule, Strategy pattern, Kind<S> kind) {
        this.keys = new Keys(spec.dimension());
        this.pattern = pattern;
        this.kind = kind;
        this.regime = new Regime(rule, new DebtSketch(spec.sketchRow()), null);
        this.hitters = spec.hitters();
        this.maker = key -> kind.enters(key, regime);
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

    Rule rule() {
        return regime.rule;
    }

    boolean isBy(int dimension) {
        return keys.dimension == dimension;
    }

    /** The request's key as it is kept, or null if it has none. */
    @Nullable
    Object keyOf(Request request) {
        return keys.kept(request.key());
    }

    /** The entry of a key, made if need be. */
    S entry(Object key) {
        S present = cache.getIfPresent(key);
        return present != null ? present : made(key);
    }

    private S made(Object key) {
        long shared = making.readLock();
        try {
            return cache.get(key, maker);
        } finally {
            making.unlockRead(shared);
        }
    }

    /** The entry of a key at an instant when it was in the table and on no way out, or null. */
    @Nullable
    S settled(Object key) {
        return cache.asMap().computeIfPresent(key, (k, entry) -> entry);
    }

    /** Puts another entry in the place of this one, if this is the key's. */
    void replace(Object key, S entry, S by) {
        cache.asMap().replace(key, entry, by);
    }

    /** Does something to the entry of a key under its lock. */
    void compute(Object key, UnaryOperator<S> change) {
        cache.asMap().computeIfPresent(key, (k, entry) -> change.apply(entry));
    }

    Collection<S> entries() {
        return cache.asMap().values();
    }

    /** A new strategy for a key by the present rule, owing what it owed when it was last forgotten. Under its lock. */
    Strategy create(Object key, Regime by) {
        Strategy strategy = by.rule.create();
        long owed = by.debts.owed(keys.hash(key), by.rule.ticker().read());
        return Succession.indebted(strategy, owed, by.rule.ticker());
    }

    /**
     * Writes down what a key owes whose strategy is asked no more, as it would be by the present rule. Under the key's
     * lock.
     *
     * @param madeBy the rule of the strategy; null if it may or may not have been changed by a change under way
     */
    void remember(Object key, Strategy strategy, @Nullable Rule madeBy) {
        Regime now;
        do {
            now = regime;
            Rule from = madeBy != null ? madeBy : now.changingFrom != null ? now.changingFrom : now.rule;
            Strategy last = from == now.rule ? strategy : now.rule.succeed(strategy, from);
            long debt = last.used();
            if (debt <= 0) {
                return;
            }
            long until = now.rule.ticker().read() + debt;
            synchronized (this) {
                if (now == regime) {
                    now.debts.owes(keys.hash(key), until);
                    return;
                }
            }
        } while (true);
    }

    /** Another limit for each key, those to come included. */
    Rule setLimit(long limit) {
        Rule from = regime.rule;
        pattern.setLimit(limit);
        Rule next = new Rule(from.spec(), limit, from.ticker());
        changeAll(next, null);
        return next;
    }

    /** Everything as this specification says. */
    void change(Keyed spec, Rule next) {
        pattern = next.succeed(pattern, regime.rule);
        cache.policy().eviction().ifPresent(size -> size.setMaximum(spec.maxKeys()));
        hitters = spec.hitters();
        changeAll(next, spec);
    }

    private void changeAll(Rule next, @Nullable Keyed spec) {
        Rule from = regime.rule;
        long alone = making.writeLock();
        try {
            synchronized (this) {
                DebtSketch mapped = regime.debts;
                regime = new Regime(next, spec == null ? mapped : mapped.resized(spec.sketchRow()), from);
            }
        } finally {
            making.unlockWrite(alone);
        }
        cache.asMap().forEach((key, entry) -> kind.change(key, entry, from, next));
        synchronized (this) {
            regime = new Regime(next, regime.debts, null);
        }
    }

    /** A strategy like those of the keys, asked only for what is the same in all of them. */
    Strategy pattern() {
        return pattern;
    }

    /** Tells what became of a request. */
    void saw(Request request, long answer) {
        HeavyHitters watching = hitters;
        Object key = watching == null ? null : keyOf(request);
        if (watching != null && key != null) {
            watching.saw(key, request.permits(), answer == Strategy.GRANTED);
        }
    }

    Map<String, Long> details() {
        Regime now = regime;
        long inUse = now.debts.permilleInUse(now.rule.ticker().read());
        return Map.of("keys", cache.estimatedSize(), "debtCellsPermille", inUse);
    }
}
