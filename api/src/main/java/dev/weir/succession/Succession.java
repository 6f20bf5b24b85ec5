package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The strategy in force and what its predecessors granted: how one strategy replaces another so that nothing that was
 * consumed is forgotten, and no request waits longer than for a new, empty strategy. Immutable; a change creates another
 * one. Thread-safe if changes are made one after the other.
 *
 * <p>A specification is a list of {@linkplain StrategySpec#parts() parts}. A part that equals one of the present parts keeps
 * its strategy, a part of the same kind {@linkplain StrategySpec#adjust adjusts} it if it can, and any other part gets a new
 * strategy ({@link Predecessors}). Then
 *
 * <ul>
 *   <li>a new rate starts with a debt of the most that is used of the accounts of all earlier rates. If a rate was removed, the
 *       rates that are kept get that debt too;
 *   <li>a new concurrency limit counts what is in flight, under whichever limit it was granted;
 *   <li>rates are kept aside, and refill, until there is a rate again; limits by key until there are limits by the same names.
 * </ul>
 *
 * @param strategy the one in force; the same as before a change if all parts were adjusted in place
 * @param aside parts that are kept for the next change
 * @param account all permits in flight, whatever granted them
 */
public record Succession(
        StrategySpec spec,
        PartStrategy strategy,
        List<RunningPart> parts,
        List<RunningPart> aside,
        PermitAccount account) {
    private static Succession of(
            StrategySpec spec, PartStrategy strategy, List<RunningPart> aside, PermitAccount account) {
        List<StrategySpec> specs = spec.parts();
        List<PartStrategy> strategies = strategy.members();
        if (specs.size() != strategies.size()) {
            throw new IllegalStateException(
                    "parts of " + spec + " must be as many as of its strategy, were " + strategies.size());
        }
        List<RunningPart> made = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            made.add(new RunningPart(specs.get(i), strategies.get(i)));
        }
        return new Succession(spec, strategy, List.copyOf(made), aside, account);
    }

    /** Begins with a strategy that runs by this specification. */
    public static Succession of(StrategySpec spec, PartStrategy running) {
        return of(spec, running, List.of(), PermitAccount.NONE.of(running.members(), false));
    }

    /** Permits in flight, whatever granted them. */
    public long inFlight() {
        return account.isInForce() ? account.inFlight() : strategy.inFlight() + account.inFlight();
    }

    /** True while something is kept aside for the next change, or until it is released. */
    public boolean isAnyAside() {
        return !aside.isEmpty() || (!account.isInForce() && account.inFlight() > 0);
    }

    /** The most that is used of the accounts of all rates, in force or kept aside. */
    public Used used() {
        return Used.of(Stream.concat(parts.stream(), aside.stream()).map(RunningPart::strategy));
    }

    /**
     * Puts another specification in force. If this throws, nothing has changed.
     *
     * @param exclusive called unless a single strategy is adjusted in place; after it returns, the present strategy grants
     *     no request any more
     * @param prepared called with the strategy that comes into force, the last time that this may throw
     */
    public Succession next(StrategySpec next, Ticker ticker, Runnable exclusive, Consumer<PartStrategy> prepared) {
        List<StrategySpec> specs = next.parts();
        boolean tried = specs.size() == 1
                && parts.size() == 1
                && Predecessors.isLike(parts.get(0).spec(), specs.get(0));
        if (tried) {
            Succession same = inPlace(next, specs.get(0), ticker, prepared);
            if (same != null) {
                return same;
            }
        }
        StrategyChange change = new StrategyChange(specs, parts, aside, ticker);
        change.create(tried);
        exclusive.run();
        List<PartStrategy> made = change.strategies();
        try {
            List<RunningPart> kept = change.keptAside();
            Succession changed = of(next, composed(next, made, ticker), kept, PermitAccount.NONE);
            prepared.accept(changed.strategy);
            PermitAccount counted = account.of(made, change.isAnyCounterNew());
            return new Succession(next, changed.strategy, changed.parts, kept, counted);
        } catch (Throwable t) {
            change.takeBack(t);
            throw t;
        }
    }

    private @Nullable Succession inPlace(
            StrategySpec next, StrategySpec part, Ticker ticker, Consumer<PartStrategy> prepared) {
        RunningPart running = parts.get(0);
        long limit = running.strategy().target();
        if (!part.equals(running.spec()) && !running.adjustTo(part, ticker)) {
            return null;
        }
        try {
            PartStrategy composed = composed(next, List.of(running.strategy()), ticker);
            Succession same = of(next, composed, aside, account);
            prepared.accept(composed);
            return same;
        } catch (Throwable t) {
            running.takeBack(limit, ticker);
            throw t;
        }
    }

    private PartStrategy composed(StrategySpec next, List<PartStrategy> made, Ticker ticker) {
        boolean isSame = made.equals(parts.stream().map(RunningPart::strategy).toList());
        return isSame && next.getClass() == spec.getClass()
                ? strategy
                : Parts.of(next).compose(made, ticker);
    }
}
