package dev.weir.testkit;

import java.util.List;
import java.util.SplittableRandom;

/**
 * What every composition of limits promises through every history of requests, releases, changes of limits and of
 * specifications, evictions and steps of the clock. Random lives of one limiter, in virtual time, are compared with a
 * list of everything that it granted:
 *
 * <ul>
 *   <li><b>Concurrency.</b> Whenever a request is granted, the permits that were granted under any concurrency limit and
 *       not released are, with its own, within every concurrency limit in force; for a limit by key, those of the key
 *       that were granted under a limit by key. It is refused for concurrency only if that many would not fit; after a
 *       change between a limit by key and a limit of all some may count twice, until nothing is in flight.
 *   <li><b>Rates, upper bound.</b> In any window, what was granted and not cancelled is at most the largest {@code burst +
 *       forgotten} of the rates in force during it, more than the integral of the rate in force; and at any one instant
 *       at most the largest {@code burst}. This holds for the rates of all requests and for those of each key, and over
 *       every change: a rate goes its own bound through changes in which each rate has a predecessor, equal or of its
 *       class, and none is dropped. Otherwise a rate that is new, and each rate if one was dropped, goes on from <em>any</em>
 *       of the rates before it, so with the one that has refilled least. While no rate is in force the last ones refill.
 *       A table of limits by key that hold and a table of limits by key that do not hold know nothing of each other's
 *       rates.
 *   <li><b>Rates, lower bound.</b> From any instant on, whatever happened before, with requests of one weight and nothing
 *       in flight, at least as many are granted by any later instant as by a new limiter of that specification whose
 *       rates were drained at the first; and when the told wait has passed the request is granted.
 *   <li><b>What costs nothing.</b> A second limiter that is not asked what the first one was asked and released at once
 *       as {@code CANCELLED}, which nobody observes and which evicts no key, answers every request alike; with evictions
 *       until the first change and until something is released later.
 *   <li><b>Permits.</b> The first release says true; a second one says false, but true where the permit is that of rates
 *       alone and was not granted through {@code attempt}. {@code inFlight()} is the number of permits in flight, and the
 *       counts are right.
 * </ul>
 *
 * <p>A failure names its seed, which {@code -Dseed=...} replays, and the shortest history found that fails.
 */
public final class CompositionContract {
    private final Composition.Source source;
    private final boolean forwardOnly;
    private long lives;
    private long steps;
    private long unbuildable;

    /** The contract over compositions from this source. */
    public CompositionContract(Composition.Source source) {
        this(source, false);
    }

    private CompositionContract(Composition.Source source, boolean forwardOnly) {
        this.source = source;
        this.forwardOnly = forwardOnly;
    }

    /** The same with a clock that never runs back. */
    public CompositionContract forwardOnly() {
        return new CompositionContract(source, true);
    }

    /**
     * Runs lives of so many steps together.
     *
     * @throws AssertionError naming the seed and a short history, if a bound does not hold
     */
    public void check(long atLeast) {
        check(atLeast, Seed.first());
    }

    /** The same from this seed on. */
    public void check(long atLeast, long seed) {
        long end = steps + atLeast;
        for (long next = seed; steps < end; next++) {
            live(next);
        }
    }

    /** The same for so many lives. */
    public void checkLives(long atLeast) {
        long seed = Seed.first();
        long end = lives + (Seed.isReplayed() ? 1 : atLeast);
        while (lives < end) {
            live(seed++);
        }
    }

    /** How many lives and steps there were, and how many draws could not be built. */
    @Override
    public String toString() {
        return lives + " lives, " + steps + " steps, " + unbuildable + " refused when built";
    }

    private void live(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        lives++;
        List<Composition> drawn;
        try {
            drawn = source.draw(random, random.nextInt(2, 5));
        } catch (IllegalArgumentException refused) {
            unbuildable++;
            steps++;
            return;
        }
        History history = History.draw(random, drawn, forwardOnly);
        Execution execution = new Execution(history, new ExecutionLog(false));
        Violation found = execution.run();
        steps += execution.steps();
        if (found != null) {
            throw new FailingHistory(history, found).shrink().error(seed);
        }
    }
}
