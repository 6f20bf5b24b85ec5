package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The strategy in force and what its predecessors granted: how one strategy takes over from another so that nothing that
 * was consumed is forgotten, and nobody is refused for longer than by an empty successor. Immutable; a change makes
 * another one. Thread-safe if changes are serial.
 *
 * <p>A specification is a list of {@linkplain StrategySpec#parts() parts}. A part that is equal to one of the present
 * parts goes on with its strategy, one of the same kind {@linkplain StrategySpec#adjust adjusts} it if it can, any other
 * is new. Then
 *
 * <ul>
 *   <li>a new rate starts beside a debt of the largest {@link Strategy#used()} of all rates there were. If a rate was
 *       dropped, those that go on do so too;
 *   <li>a new concurrency limit counts what is in flight, under whichever limit it was granted;
 *   <li>what has no successor of its kind is kept aside until there is one: a rate meanwhile refills.
 * </ul>
 */
public final class Succession {
    private final StrategySpec spec;
    private final Strategy strategy;
    private final List<RunningPart> parts;
    private final List<RunningPart> aside;

    /**
     * A specification, and the strategy by it.
     *
     * @param counted whether what it has in flight is known to a counter of all, though it is not in force
     * @param twice counters of what it knows and a limit by key in force knows too
     */
    record RunningPart(StrategySpec spec, Strategy strategy, boolean counted, List<InFlight> twice) {
        /** A rate of all requests, not by key. */
        boolean isRate() {
            return isRate(strategy);
        }

        static boolean isRate(Strategy strategy) {
            return !strategy.holds() && strategy.refillRate() != null;
        }
    }

    private Succession(StrategySpec spec, Strategy strategy, List<RunningPart> aside) {
        this.spec = spec;
        this.strategy = strategy;
        this.aside = aside;
        List<StrategySpec> specs = spec.parts();
        List<Strategy> strategies = strategy.members();
        if (specs.size() != strategies.size()) {
            throw new IllegalStateException(
                    "parts of " + spec + " must be as many as of its strategy, were " + strategies.size());
        }
        List<RunningPart> made = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            made.add(new RunningPart(specs.get(i), strategies.get(i), false, List.of()));
        }
        this.parts = List.copyOf(made);
    }

    /** A new strategy by this specification. */
    public static Succession first(StrategySpec spec, Ticker ticker) {
        return of(spec, Objects.requireNonNull(spec.create(ticker), "create(ticker)"));
    }

    /** A strategy that runs by this specification. */
    public static Succession of(StrategySpec spec, Strategy running) {
        return new Succession(spec, running, List.of());
    }

    /** This rate beside a debt of so many permits, which refills at its rate; itself if there is none. */
    public static Strategy indebted(Strategy rate, long permits, Ticker ticker) {
        return IndebtedRate.of(rate, permits, ticker);
    }

    /**
     * This rate beside a bucket whose rate and capacity rise with the ramp, until it is warm; they are shares of the
     * rate's own {@link Strategy#refillRate()}, which it must have.
     */
    public static Strategy rising(Strategy rate, RampProgress ramp) {
        return IndebtedRate.rising(rate, ramp);
    }

    /**
     * This rate beside a debt that refills in so many nanoseconds by its present figures; itself if there is none. If it
     * {@linkplain Strategy#ramp() rises} it is the one that is returned, owing that.
     */
    public static Strategy indebtedFor(Strategy rate, long nanos, Ticker ticker) {
        return IndebtedRate.lasting(rate, nanos, ticker);
    }

    /** In how many nanoseconds by its present figures the debt beside a strategy has refilled; 0 if there is none. */
    public static long debtNanos(Strategy strategy) {
        return strategy instanceof IndebtedRate carried ? carried.nanosUntilPaid() : 0;
    }

    /** The strategy beside whose debt this one grants, whatever is left of the debt; itself if there is none. */
    public static Strategy withoutDebt(Strategy strategy) {
        return IndebtedRate.inner(strategy);
    }

    /** The strategy that does the same as this one: without a debt that an earlier request found refilled. */
    public static Strategy reduced(Strategy strategy) {
        return strategy instanceof IndebtedRate carried && carried.isPaid() ? carried.inner : strategy;
    }

    /** How the state of one of many strategies by a specification is kept when it is evicted. */
    public static EvictedState evictedState(StrategySpec spec, Ticker ticker) {
        EvictedState own = spec.evictedState(ticker);
        return own == null ? new SteadyState(ticker) : own;
    }

    /** The specification in force. */
    public StrategySpec spec() {
        return spec;
    }

    /** The strategy in force: the same as before a change if all of it was adjusted in place. */
    public Strategy strategy() {
        return strategy;
    }

    /** Whether a strategy is kept aside that the next change may need. */
    public boolean isAnyAside() {
        return !aside.isEmpty();
    }

    /** The most permits that any rate has granted that have not refilled, in force or set aside. */
    public long used() {
        return Stream.concat(parts.stream(), aside.stream())
                .filter(RunningPart::isRate)
                .mapToLong(part -> part.strategy.used())
                .max()
                .orElse(0);
    }

    /**
     * Puts another specification in force. If something throws, all is as it was.
     *
     * @param exclusive called unless a single strategy is adjusted in place: when it returns, no request that asked the
     *     present strategy is granted any more
     */
    public Succession next(StrategySpec next, Ticker ticker, Runnable exclusive) {
        List<StrategySpec> specs = next.parts();
        if (specs.size() == 1 && parts.size() == 1 && isLike(specs.get(0), parts.get(0))) {
            boolean isEqual = specs.get(0).equals(parts.get(0).spec);
            if (isEqual || adjusts(specs.get(0), parts.get(0).strategy, ticker)) {
                return new Succession(next, strategy, aside);
            }
        }
        StrategyChange change = new StrategyChange(specs, parts, aside, ticker, List.of());
        change.create();
        exclusive.run();
        List<Strategy> made = change.strategies();
        Strategy composed = isSame(made) && next.getClass() == spec.getClass() ? strategy : next.compose(made, ticker);
        return new Succession(next, composed, change.keptAside());
    }

    /**
     * Replaces each {@linkplain HandsOver#counter() counter} by a new one of the same specification, and counts what is in
     * flight now in these as well, until it is released. To be called while no request asks the present strategy.
     */
    public Succession handingOver(List<InFlight> heirs, Ticker ticker) {
        StrategyChange change = new StrategyChange(spec.parts(), parts, aside, ticker, heirs);
        change.create();
        return new Succession(spec, spec.compose(change.strategies(), ticker), change.keptAside());
    }

    private boolean isSame(List<Strategy> made) {
        boolean same = made.size() == parts.size();
        for (int i = 0; same && i < made.size(); i++) {
            same = made.get(i) == parts.get(i).strategy;
        }
        return same;
    }

    static boolean isLike(StrategySpec spec, RunningPart running) {
        return spec.kind() == running.spec.kind();
    }

    /** Adjusts a strategy in place, beside a debt or not; false if it cannot, and nothing was changed. */
    public static boolean adjusts(StrategySpec spec, Strategy running, Ticker ticker) {
        StrategySpec next = spec.after(running.ramp(), ticker);
        boolean beginsToRise = next.sharedRamp() != null && running.ramp() == null;
        if (beginsToRise || !next.adjust(IndebtedRate.inner(running))) {
            return false;
        }
        if (running instanceof IndebtedRate carried) {
            carried.adjusted(next.sharedRamp());
        }
        return true;
    }
}
