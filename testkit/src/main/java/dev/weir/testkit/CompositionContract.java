package dev.weir.testkit;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The contract of a composition of limits, checked through histories of requests, releases, changes of limits and of
 * specifications, evictions and steps of the clock. Random histories, each of one limiter in virtual time, are compared
 * with a list of all grants. What the limits are is known from the specifications and the dials alone, and what a change
 * keeps from docs/how/changes.md: each bound of the model quotes the sentence that promises it.
 *
 * <ul>
 *   <li><b>Limits.</b> Each part in force has the limit of its specification, or what the dial has set since an equal
 *       part is in force without a break.
 *   <li><b>Concurrency.</b> Whenever a request is granted, the permits that were granted under any concurrency limit and
 *       not released are, with its own, within every concurrency limit in force; for a limit by key, those of the key
 *       that were granted under a limit by the same names. It is refused for concurrency only if that would not hold.
 *   <li><b>Rates, upper bound.</b> In any window, what was granted and not refunded, which is what {@linkplain
 *       dev.weir.Outcome#CANCELLED refundable} requests spent that were cancelled, exceeds the integral of the rate in
 *       force by at most the largest {@code burst + forgotten} of the rates in force during it; at any one instant it is
 *       at most the largest {@code burst}. This holds for the rates of all requests and for those of each key, and over
 *       every change: a rate continues its predecessor, equal or of its class, over changes in which each rate has one
 *       and none is removed. Otherwise a rate that is new, and each rate if one was removed, continues <em>any</em> of the
 *       rates before it, so also the one that has refilled least. While no rate is in force the last ones refill.
 *       All rates by the same names are those of one account for each key.
 *   <li><b>Rates, lower bound.</b> From any instant on, whatever happened before, with requests of one weight and nothing
 *       in flight, at least as many are granted by any later instant as by a new limiter of that specification whose
 *       rates were drained at the first; and when the wait that was given has passed, the request is granted.
 *   <li><b>What costs nothing.</b> A second limiter does not get the refundable requests whose permits are released at once
 *       as {@code CANCELLED}, has no observer and evicts no key; it gives the same answers; with evictions, until
 *       the first change and until a later release as {@code CANCELLED}.
 *   <li><b>Costs.</b> Limits by cost take the cost of a request that has one, all others its permits. What is settled as less was
 *       not spent. What is settled as more, and what is charged, was not granted: it may only make the limiter refuse, until
 *       the waits that it gives have passed.
 *   <li><b>Queue.</b> In some histories requests also wait in a queue in front of the limiter. What they are granted obeys
 *       all of this; none waits for a concurrency limit that has room for it, and none is refused before its time.
 *   <li><b>Permits.</b> The first release returns true, a second one false; but true if the permit is of rates alone,
 *       was not granted through {@code attempt}, and is not of a refundable request. {@code inFlight()} is the number of permits in flight, and the
 *       counts are right. Of a permit of limits by cost the first settle before the release returns true.
 * </ul>
 *
 * <p>A failure has the shortest failing history that was found; its seed is named as by {@link Seed}.
 */
public final class CompositionContract {
    private final Composition.Source source;
    private final History.Time clock;
    private long histories;
    private long steps;
    private long unbuildable;

    /** The contract over compositions from this source. */
    public CompositionContract(Composition.Source source) {
        this(source, History.Time.ANY);
    }

    private CompositionContract(Composition.Source source, History.Time clock) {
        this.source = source;
        this.clock = clock;
    }

    /** The same contract, with a clock that never runs back. */
    public CompositionContract forwardOnly() {
        return new CompositionContract(source, History.Time.FORWARD);
    }

    /** The same contract, with all that happens in a history at one instant. */
    public CompositionContract atOneInstant() {
        return new CompositionContract(source, History.Time.STILL);
    }

    /**
     * Executes random histories of at least this many steps together, one for each seed; one if a seed is replayed.
     *
     * @throws AssertionError naming the seed and a short history, if a bound does not hold
     */
    public void check(long atLeast) {
        long end = steps + atLeast;
        Seed.forAll(done -> steps < end, this::check);
    }

    /**
     * Executes one random history, for {@link Seed#forAll} and {@link CpuBudget#forAll}.
     *
     * @throws AssertionError with a short history, if a bound does not hold
     */
    public void check(SplittableRandom random) {
        histories++;
        List<Composition> drawn;
        try {
            drawn = source.draw(random, random.nextInt(2, 5));
        } catch (IllegalArgumentException refused) {
            unbuildable++;
            steps++;
            return;
        }
        History history = History.draw(random, source, drawn, clock);
        Execution execution = new Execution(history, new ExecutionLog(false));
        Violation found = execution.run();
        steps += execution.steps();
        if (found != null) {
            throw new FailingHistory(history, found).shrink().error();
        }
    }

    /** The numbers of histories, of steps, and of compositions that were refused when they were built. */
    @Override
    public String toString() {
        return histories + " histories, " + steps + " steps, " + unbuildable + " refused when built";
    }
}
