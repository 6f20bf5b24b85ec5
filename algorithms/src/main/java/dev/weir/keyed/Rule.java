package dev.weir.keyed;

import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.Succession;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the strategies of all keys are created, and how the state of an evicted one is saved. */
final class Rule implements StrategySpec {
    private final StrategySpec spec;
    private final List<PerKeySpec> parts;
    private final Ticker ticker;
    private final boolean isLimitSet;
    private final Strategy pattern;
    private final List<Strategy> members;
    private final EvictedState[] states;
    private final long began;

    /** Where the state of each part starts in the state of a key, and where the last one ends. */
    private final int[] starts;

    private Rule(StrategySpec spec, List<PerKeySpec> parts, Ticker ticker, boolean isLimitSet) {
        this.spec = spec;
        this.parts = parts;
        this.ticker = ticker;
        this.isLimitSet = isLimitSet;
        this.pattern = create(ticker);
        this.members = pattern.members();
        this.states = new EvictedState[parts.size()];
        this.starts = new int[states.length + 1];
        this.began = ticker.read();
        for (int i = 0; i < states.length; i++) {
            Strategy member = members.get(i);
            if (!member.traits().holds() && member.refillRate() == null) {
                throw new IllegalArgumentException("a rate for each key must have a refillRate(), was " + spec);
            }
            states[i] = Succession.evictedState(parts.get(i), ticker);
            starts[i + 1] = starts[i] + (member.traits().holds() ? 0 : states[i].longs());
        }
    }

    /** Whether this rule was in force at a reading of the ticker. */
    boolean began(long reading) {
        return reading - began >= 0;
    }

    /** The first rule of a table. */
    static Rule of(StrategySpec spec, Ticker ticker) {
        List<PerKeySpec> parts = spec.parts().stream()
                .map(part -> new PerKeySpec(part, part.forMany(ticker)))
                .toList();
        return new Rule(spec, parts, ticker, false);
    }

    /** The rule of another specification; this one if the specification is the same. */
    Rule next(StrategySpec next) {
        if (next.equals(spec) && !isLimitSet) {
            return this;
        }
        List<PerKeySpec> unmatched = new ArrayList<>(parts);
        List<PerKeySpec> made = new ArrayList<>();
        for (StrategySpec part : next.parts()) {
            PerKeySpec before = predecessor(part, unmatched, next.parts());
            StrategySpec shared = before == null ? part.forMany(ticker) : part.forMany(ticker, before.shared());
            made.add(new PerKeySpec(part, shared));
        }
        return new Rule(next, made, ticker, false);
    }

    /* An equal part, or else the first of the same kind that equals no other part. */
    private static @Nullable PerKeySpec predecessor(
            StrategySpec part, List<PerKeySpec> unmatched, List<StrategySpec> all) {
        PerKeySpec found = null;
        for (PerKeySpec old : unmatched) {
            if (old.one().equals(part)) {
                found = old;
                break;
            }
            boolean isLike = old.kind() == part.kind() && !all.contains(old.one());
            found = found == null && isLike ? old : found;
        }
        unmatched.remove(found);
        return found;
    }

    @Override
    public Rule withLimit(long limit) {
        List<PerKeySpec> made = new ArrayList<>(parts);
        made.set(0, parts.get(0).withLimit(limit));
        return new Rule(spec, made, ticker, true);
    }

    /** A strategy like those of the keys, for what is the same in all of them. */
    Strategy pattern() {
        return pattern;
    }

    Ticker ticker() {
        return ticker;
    }

    @Override
    public List<StrategySpec> parts() {
        return List.copyOf(parts);
    }

    @Override
    public Strategy compose(List<Strategy> made, Ticker by) {
        return spec.compose(made, by);
    }

    @Override
    public Strategy create(Ticker by) {
        return parts.size() == 1
                ? parts.get(0).create(by)
                : compose(parts.stream().map(part -> part.create(by)).toList(), by);
    }

    /** Replaces what ran by an earlier rule. */
    Succession succeed(Succession running) {
        return running.next(this, ticker, () -> {});
    }

    /** The strategy by this rule that replaces one by an earlier rule; the same if it can continue or is by this rule. */
    Strategy succeed(Strategy running, Rule earlier) {
        boolean byThis = earlier == this || running.members().size() != earlier.parts.size();
        return byThis ? running : succeed(Succession.of(earlier, running)).strategy();
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

    /** What to save of a strategy by this rule; null if nothing was used. */
    @Nullable
    EvictedKey save(Strategy strategy) {
        long[] all = new long[longs()];
        long[] debts = new long[parts.size()];
        for (int i = 0; i < states.length; i++) {
            long[] state = state(i, all);
            if (state.length > 0) {
                Strategy member = strategy.members().get(i);
                boolean fits = states[i].write(Succession.withoutDebt(member), state);
                System.arraycopy(state, 0, all, starts[i], state.length);
                long rest = fits ? 0 : EvictedState.nanosUntilRefilled(member.used(), member.refillRate());
                debts[i] = until(Math.max(rest, Succession.debtNanos(member)));
            }
        }
        boolean isIndebted = !isZero(debts);
        return isIndebted || !isZero(all) ? new EvictedKey(all, isIndebted ? debts : null) : null;
    }

    private static boolean isZero(long[] longs) {
        for (long one : longs) {
            if (one != 0) {
                return false;
            }
        }
        return true;
    }

    private long until(long nanos) {
        return nanos == 0 ? 0 : Math.max(1, ticker.read() - began + nanos);
    }

    private long left(long until) {
        return until == 0 ? 0 : Math.max(0, until - (ticker.read() - began));
    }

    /** The debts of a key that used this many permits by an earlier rule. */
    long[] debtsOf(long used) {
        long[] debts = new long[parts.size()];
        for (int i = 0; i < debts.length; i++) {
            debts[i] =
                    until(EvictedState.nanosUntilRefilled(used, members.get(i).refillRate()));
        }
        return debts;
    }

    /** The strategy of a key that returns, with what it used by this rule and, in permits, by an earlier one. */
    Strategy restore(@Nullable EvictedKey evicted, long used) {
        if (evicted == null && used == 0) {
            return create(ticker);
        }
        List<Strategy> made = new ArrayList<>();
        for (int i = 0; i < states.length; i++) {
            Strategy strategy = parts.get(i).create(ticker);
            if (starts[i + 1] > starts[i]) {
                if (evicted != null) {
                    long debt = evicted.debts == null ? 0 : left(evicted.debts[i]);
                    strategy = indebted(states[i].read(state(i, evicted.states), strategy), debt);
                }
                strategy = indebted(strategy, EvictedState.nanosUntilRefilled(used, strategy.refillRate()));
            }
            made.add(strategy);
        }
        return compose(made, ticker);
    }

    /* With a debt of at least this many nanoseconds; a debt is never less than what the strategy itself has used. */
    private Strategy indebted(Strategy strategy, long nanos) {
        long own =
                EvictedState.nanosUntilRefilled(Succession.withoutDebt(strategy).used(), strategy.refillRate());
        boolean isRising = strategy.ramp() != null;
        long max = nanos > 0 || isRising ? Math.max(nanos, own) : 0;
        return max > Succession.debtNanos(strategy) ? Succession.indebtedFor(strategy, max, ticker) : strategy;
    }

    /** The permits that a key has used: the most of any of its rates. */
    long used(EvictedKey evicted) {
        return used(restore(evicted, 0));
    }

    static long used(Strategy strategy) {
        return strategy.members().stream().mapToLong(Strategy::used).max().orElse(0);
    }

    boolean isFree(EvictedKey evicted) {
        boolean free = true;
        for (int i = 0; free && i < states.length; i++) {
            long[] state = state(i, evicted.states);
            boolean isIndebted = evicted.debts != null && left(evicted.debts[i]) > 0;
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
