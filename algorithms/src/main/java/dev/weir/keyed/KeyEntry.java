package dev.weir.keyed;

import dev.weir.spi.Strategy;
import dev.weir.succession.InFlight;
import dev.weir.succession.Succession;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a key in {@link KeyedConcurrency}. What changes it runs under the key's lock, in the table or among the
 * retained entries.
 */
final class KeyEntry {
    private enum EntryPhase {
        LIVE,
        RETAINED,
        RETIRED
    }

    private final KeyedConcurrency owner;
    final Strategy strategy;
    /* Written under the key's lock; an entry by an older rule is brought up to date at the next request. */
    private volatile Rule rule;
    /* RETIRED is written before what is in flight is read; a request acquires, then reads the phase: one sees the other. */
    private volatile EntryPhase phase = EntryPhase.LIVE;

    /** How this strategy came about, if a change left something aside. */
    private @Nullable Succession past;

    KeyEntry(KeyedConcurrency owner, Strategy strategy, Rule rule, @Nullable Succession past) {
        this.owner = owner;
        this.strategy = strategy;
        this.rule = rule;
        this.past = past;
    }

    Rule rule() {
        return rule;
    }

    @Nullable
    Succession past() {
        return past;
    }

    boolean isRetired() {
        return phase == EntryPhase.RETIRED;
    }

    KeyEntry live() {
        phase = EntryPhase.LIVE;
        return this;
    }

    /** This entry, or the one that replaces it, by another rule. */
    KeyEntry by(Rule current) {
        return rule == current ? this : succeeded(current, () -> current.succeed(present()));
    }

    KeyEntry handingOver(List<InFlight> successors) {
        return succeeded(rule, () -> present().handingOver(successors, rule.ticker()));
    }

    private Succession present() {
        return past == null ? Succession.of(rule, strategy) : past;
    }

    private KeyEntry succeeded(Rule current, Supplier<Succession> successor) {
        EntryPhase before = phase;
        phase = EntryPhase.RETIRED;
        KeyEntry next = this;
        try {
            Succession made = successor.get();
            next = made.strategy() == strategy ? this : new KeyEntry(owner, made.strategy(), current, null);
            next.rule = current;
            next.past = made.isAnyAside() ? made : null;
        } finally {
            next.phase = before;
        }
        return next;
    }

    /** Retires the entry if nothing is in flight; otherwise it is retained. */
    boolean retiresIfIdle() {
        phase = EntryPhase.RETIRED;
        if (strategy.inFlight() > 0) {
            phase = EntryPhase.RETAINED;
            return false;
        }
        return true;
    }

    void released(Object key) {
        if (phase != EntryPhase.LIVE) {
            owner.endIfIdle(key);
        }
    }
}
