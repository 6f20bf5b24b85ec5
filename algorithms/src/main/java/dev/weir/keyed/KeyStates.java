package dev.weir.keyed;

import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.succession.EvictedState;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.succession.Used;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The format in which the states of evicted keys are saved, by one {@link Rule}, and restored. Thread-safe. */
final class KeyStates {
    /**
     * The state of an evicted key.
     *
     * @param states those of the rule's parts, one after the other
     * @param debts for each part, when a debt from before a change has refilled, in nanoseconds of the rule; null if there is none
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record EvictedKey(long[] states, long @Nullable [] debts) {}

    private final PartSpec rule;
    private final List<PerKeySpec> parts;
    private final List<PartStrategy> members;
    private final Ticker ticker;
    private final EvictedState[] states;
    private final long began;

    /** Where the state of each part starts in the state of a key, and where the last one ends. */
    private final int[] starts;

    /** For the strategies of a rule, with its parts; {@code members} are those of one of the strategies. */
    KeyStates(PartSpec rule, List<PerKeySpec> parts, List<PartStrategy> members, Ticker ticker) {
        this.rule = rule;
        this.parts = parts;
        this.members = members;
        this.ticker = ticker;
        this.states = new EvictedState[parts.size()];
        this.starts = new int[states.length + 1];
        this.began = ticker.read();
        for (int i = 0; i < states.length; i++) {
            states[i] = Parts.evictedState(parts.get(i), ticker);
            starts[i + 1] = starts[i] + (members.get(i).traits().holds() ? 0 : states[i].longs());
        }
    }

    /** The longs of the state of one key; 0 = nothing is saved of an evicted key. */
    int longs() {
        return starts[states.length];
    }

    private long[] state(int part, long[] all) {
        return Arrays.copyOfRange(all, starts[part], starts[part + 1]);
    }

    int debts() {
        return parts.size();
    }

    /** The state to save of a strategy; null if nothing was used. */
    @Nullable
    EvictedKey save(PartStrategy strategy) {
        long[] all = new long[longs()];
        long[] debts = new long[parts.size()];
        for (int i = 0; i < states.length; i++) {
            long[] state = state(i, all);
            if (state.length > 0) {
                PartStrategy member = strategy.members().get(i);
                boolean fits = states[i].write(IndebtedRate.inner(member), state);
                System.arraycopy(state, 0, all, starts[i], state.length);
                long rest = fits ? 0 : nanosUntilRefilled(member, member.used());
                debts[i] = until(Math.max(rest, IndebtedRate.debtNanos(member)));
            }
        }
        boolean isIndebted = !isZero(debts);
        return isIndebted || !isZero(all) ? new EvictedKey(all, isIndebted ? debts : null) : null;
    }

    private static boolean isZero(long[] longs) {
        return Arrays.equals(longs, new long[longs.length]);
    }

    private long until(long nanos) {
        return nanos == 0 ? 0 : Math.max(1, ticker.read() - began + nanos);
    }

    private long left(long until) {
        return until == 0 ? 0 : Math.max(0, until - (ticker.read() - began));
    }

    /** The debts of a key that used this much by an earlier rule. */
    long[] debtsOf(Used used) {
        long[] debts = new long[parts.size()];
        for (int i = 0; i < debts.length; i++) {
            debts[i] = until(nanosUntilRefilled(members.get(i), used.as(members.get(i))));
        }
        return debts;
    }

    /** The strategy of a key that returns, with what it used, and what it used by an earlier rule. */
    PartStrategy restore(@Nullable EvictedKey evicted, Used used) {
        if (evicted == null && used.isNone()) {
            return Parts.create(rule, ticker);
        }
        List<PartStrategy> made = new ArrayList<>();
        for (int i = 0; i < states.length; i++) {
            PartStrategy strategy = parts.get(i).create(ticker);
            if (starts[i + 1] > starts[i]) {
                if (evicted != null) {
                    long debt = evicted.debts() == null ? 0 : left(evicted.debts()[i]);
                    strategy = indebted(states[i].read(state(i, evicted.states()), strategy), debt);
                }
                strategy = indebted(strategy, nanosUntilRefilled(strategy, used.as(strategy)));
            }
            made.add(strategy);
        }
        return rule.compose(made, ticker);
    }

    /* With a debt of at least this many nanoseconds; a debt is never less than what the strategy itself has used. */
    private PartStrategy indebted(PartStrategy strategy, long nanos) {
        long own = nanosUntilRefilled(strategy, IndebtedRate.inner(strategy).used());
        boolean isRising = strategy.ramp() != null;
        long most = nanos > 0 || isRising ? Math.max(nanos, own) : 0;
        return most > IndebtedRate.debtNanos(strategy) ? IndebtedRate.lasting(strategy, most, ticker) : strategy;
    }

    /** The most that any of the rates of a key has used, in each unit. */
    Used used(EvictedKey evicted) {
        return used(restore(evicted, Used.NONE));
    }

    static Used used(PartStrategy strategy) {
        return Used.of(strategy.members().stream());
    }

    private static long nanosUntilRefilled(PartStrategy rate, long permits) {
        Account account = rate.account();
        return account == null ? 0 : account.nanosUntilRefilled(permits);
    }

    boolean isFree(EvictedKey evicted) {
        boolean free = true;
        for (int i = 0; free && i < states.length; i++) {
            long[] state = state(i, evicted.states());
            boolean isIndebted = evicted.debts() != null && left(evicted.debts()[i]) > 0;
            free = !isIndebted && (state.length == 0 || states[i].isFree(state));
        }
        return free;
    }

    /** Changes a state to one as strict as each of the two, or else to the looser of two that are each strict enough. */
    void combine(long[] state, long[] other, boolean stricter) {
        for (int i = 0; i < states.length; i++) {
            long[] one = state(i, state);
            if (one.length > 0 && stricter) {
                states[i].stricter(one, state(i, other));
            } else if (one.length > 0) {
                states[i].looser(one, state(i, other));
            }
            System.arraycopy(one, 0, state, starts[i], one.length);
        }
    }
}
