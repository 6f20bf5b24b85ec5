package dev.weir.keyed;

import dev.weir.Request;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Succession;
import org.jspecify.annotations.Nullable;

/** The entry of a key in a {@link KeyTable}: its strategy, by the rule of the table. It is changed under the key's lock. */
sealed class KeyEntry permits KeyEntry.Changed {
    /** In the place of the strategy of an entry that is changed or replaced just now, or that was. */
    static final PartStrategy RETIRED = new PartStrategy() {
        @Override
        public long acquire(Request request) {
            return UNAVAILABLE;
        }

        @Override
        public long limit() {
            return 0;
        }

        @Override
        public void setLimit(long limit) {}
    };

    /* Nothing else, because there may be millions. RETIRED is written before what is in flight or used is read; a request
    acquires, then reads this again: one sees the other. */
    private volatile PartStrategy strategy;

    KeyEntry(PartStrategy strategy) {
        this.strategy = strategy;
    }

    /** An entry by another rule than that of the table, or one of which a change left something aside. */
    static final class Changed extends KeyEntry {
        private final Rule rule;
        private final @Nullable Succession past;

        Changed(PartStrategy strategy, Rule rule, @Nullable Succession past) {
            super(strategy);
            this.rule = rule;
            this.past = past;
        }

        @Override
        Rule rule(Rule ofTable) {
            return rule;
        }

        @Override
        @Nullable
        Succession past() {
            return past;
        }
    }

    /** {@link #RETIRED}, or what counts the requests of the key. */
    final PartStrategy strategy() {
        return strategy;
    }

    /** The rule of this entry, if the table has this rule, or had it until a change that is not complete. */
    Rule rule(Rule ofTable) {
        return ofTable;
    }

    /** The change that made the strategy, if it left something aside. */
    @Nullable
    Succession past() {
        return null;
    }

    final long inFlight() {
        Succession present = past();
        return present == null ? strategy.inFlight() : present.inFlight();
    }

    /** The entry that replaces this one, by another rule. */
    final KeyEntry by(Rule next, Rule earlier) {
        PartStrategy last = retire();
        try {
            Succession past = past();
            Succession made = next.succeed(past == null ? Succession.of(earlier, last) : past);
            return new Changed(made.strategy(), next, made.isAnyAside() ? made : null);
        } catch (Throwable t) {
            strategy = last;
            throw t;
        }
    }

    /** This entry, or one that replaces it and takes less space, if it is by the rule of the table. */
    final KeyEntry compact(Rule ofTable) {
        boolean fits = this instanceof Changed && past() == null && rule(ofTable) == ofTable;
        return fits ? new KeyEntry(retire()) : this;
    }

    /** This entry, without a debt that has refilled. */
    final KeyEntry reduced() {
        if (past() == null) {
            strategy = IndebtedRate.reduced(strategy);
        }
        return this;
    }

    /** Lets no request be counted any more, and returns what counted them. */
    final PartStrategy retire() {
        PartStrategy last = strategy;
        strategy = RETIRED;
        return last;
    }

    final void revive(PartStrategy last) {
        strategy = last;
    }
}
