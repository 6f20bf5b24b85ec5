package dev.weir.keyed;

import dev.weir.Ticker;
import dev.weir.internal.Require;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.succession.Predecessors;
import dev.weir.succession.Succession;
import java.util.ArrayList;
import java.util.List;

/** The specification that creates the strategies of all keys. */
final class Rule implements PartSpec {
    private final StrategySpec spec;
    private final List<PerKeySpec> parts;
    private final Ticker ticker;
    private final boolean isLimitSet;
    private final PartStrategy pattern;
    private final boolean holds;
    private final KeyStates states;
    private final long began;

    private Rule(StrategySpec spec, List<PerKeySpec> parts, Ticker ticker, boolean isLimitSet) {
        this.spec = spec;
        this.parts = parts;
        this.ticker = ticker;
        this.isLimitSet = isLimitSet;
        this.pattern = create(ticker);
        this.holds = pattern.traits().holds();
        if (pattern.members().size() != parts.size()) {
            throw new IllegalArgumentException("parts of " + spec + " must be as many as of its strategy, were "
                    + pattern.members().size());
        }
        for (PartStrategy member : pattern.members()) {
            boolean isKnown = member.traits().holds() || member.account() != null;
            Require.that(isKnown, "a rate for each key must have an account()", spec);
        }
        this.states = new KeyStates(this, parts, pattern.members(), ticker);
        this.began = ticker.read();
    }

    /** True if this rule was in force at a reading of the ticker. */
    boolean began(long reading) {
        return reading - began >= 0;
    }

    /** The first rule of a table. */
    static Rule of(StrategySpec spec, Ticker ticker) {
        return after(List.of(), spec, ticker);
    }

    private static Rule after(List<PerKeySpec> earlier, StrategySpec spec, Ticker ticker) {
        List<StrategySpec> parts = spec.parts();
        int[] pairs = Predecessors.of(earlier.stream().map(PerKeySpec::one).toList(), parts);
        List<PerKeySpec> made = new ArrayList<>();
        for (int i = 0; i < pairs.length; i++) {
            StrategySpec before = pairs[i] < 0 ? null : earlier.get(pairs[i]).shared();
            made.add(PerKeySpec.of(parts.get(i), before, ticker));
        }
        return new Rule(spec, made, ticker, false);
    }

    /** The rule of another specification; this one if the specification is the same. */
    Rule next(StrategySpec next) {
        return next.equals(spec) && !isLimitSet ? this : after(parts, next, ticker);
    }

    @Override
    public Rule withLimit(long limit) {
        List<PerKeySpec> made = new ArrayList<>(parts);
        made.set(0, parts.get(0).withLimit(limit));
        return new Rule(spec, made, ticker, true);
    }

    /** A strategy like those of the keys, for what is the same in all of them. */
    PartStrategy pattern() {
        return pattern;
    }

    boolean holds() {
        return holds;
    }

    /** The format in which the state of a key by this rule is saved when the key is evicted. */
    KeyStates states() {
        return states;
    }

    @Override
    public List<StrategySpec> parts() {
        return List.copyOf(parts);
    }

    @Override
    public PartStrategy compose(List<PartStrategy> made, Ticker by) {
        return Parts.of(spec).compose(made, by);
    }

    @Override
    public PartStrategy create(Ticker by) {
        return parts.size() == 1
                ? parts.get(0).create(by)
                : compose(parts.stream().map(part -> part.create(by)).toList(), by);
    }

    /** Replaces what ran by an earlier rule. */
    Succession succeed(Succession running) {
        return running.next(this, ticker, () -> {}, made -> {});
    }

    /** The strategy by this rule that replaces one by an earlier rule; the same if it can continue or is by this rule. */
    PartStrategy succeed(PartStrategy running, Rule earlier) {
        boolean byThis = earlier == this || running.members().size() != earlier.parts.size();
        return byThis ? running : succeed(Succession.of(earlier, running)).strategy();
    }
}
