package dev.weir.keyed;

import dev.weir.spi.Strategy;
import dev.weir.succession.Succession;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a key in a {@link KeyTable}: its strategy, and the rule by which that was made. What changes it runs under the
 * key's lock, in the table or among the retained entries.
 */
final class KeyEntry {
    private enum EntryPhase {
        LIVE,
        RETAINED,
        RETIRED
    }

    private volatile Strategy strategy;
    /* Written under the key's lock; an entry by an older rule is brought up to date at the next request. */
    private volatile Rule rule;
    /* RETIRED is written before what is in flight or used is read; a request acquires, then reads the phase: one sees the other. */
    private volatile EntryPhase phase = EntryPhase.LIVE;

    /** How this strategy came about, if a change left something aside. */
    private volatile @Nullable Succession past;

    KeyEntry(Strategy strategy, Rule rule, @Nullable Succession past) {
        this.strategy = strategy;
        this.rule = rule;
        this.past = past;
    }

    Strategy strategy() {
        return strategy;
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

    boolean isLive() {
        return phase == EntryPhase.LIVE;
    }

    KeyEntry live() {
        phase = EntryPhase.LIVE;
        return this;
    }

    long inFlight() {
        Succession present = past;
        return present == null ? strategy.inFlight() : present.inFlight();
    }

    /** This entry, or the one that replaces it, by another rule. */
    KeyEntry by(Rule current) {
        return rule == current ? this : succeeded(current);
    }

    private KeyEntry succeeded(Rule current) {
        EntryPhase before = phase;
        phase = EntryPhase.RETIRED;
        KeyEntry next = this;
        try {
            Succession made = current.succeed(past == null ? Succession.of(rule, strategy) : past);
            next = made.strategy() == strategy ? this : new KeyEntry(made.strategy(), current, null);
            next.rule = current;
            next.past = made.isAnyAside() ? made : null;
        } finally {
            next.phase = before;
        }
        return next;
    }

    /** This entry, without a debt that has refilled. */
    KeyEntry reduced() {
        if (past == null) {
            strategy = Succession.reduced(strategy);
        }
        return this;
    }

    /** Retires the entry if nothing is in flight; otherwise it is retained. */
    boolean retiresIfIdle() {
        phase = EntryPhase.RETIRED;
        if (inFlight() > 0) {
            phase = EntryPhase.RETAINED;
            return false;
        }
        return true;
    }
}
