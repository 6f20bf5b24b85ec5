package dev.weir.testkit;

import dev.weir.testkit.Composition.Rate;
import dev.weir.testkit.Step.Kind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The actions on one limiter, in order. Immutable, so that it can be executed again.
 *
 * @param source of the compositions and of the keys of requests
 * @param compositions the first makes the limiter; any may be in force later
 * @param origin what the clock reads at the start
 * @param hasTwin whether a second limiter, not observed and without evictions, answers the same requests but those that
 *     cost nothing, and has to answer the same
 * @param isQueued whether there is a queue in front of the limiter
 * @param steps in order
 */
record History(
        Composition.Source source,
        List<Composition> compositions,
        long origin,
        boolean hasTwin,
        boolean isQueued,
        List<Step> steps) {
    /** The ways in which the clock moves. */
    enum Time {
        /** Forward, and in some histories also back. */
        ANY,
        FORWARD,
        STILL
    }

    private static final int[] KEYS = {1, 3, 12};
    private static final long[] ORIGINS = {1, 0, -1, Long.MAX_VALUE - 20_000, Long.MIN_VALUE};

    static History draw(
            SplittableRandom random, Composition.Source source, List<Composition> compositions, Time clock) {
        boolean isQueued = source.hasQueue() && clock != Time.STILL && random.nextInt(5) == 0;
        boolean goesBack = random.nextInt(8) == 0 && clock == Time.ANY && !isQueued;
        boolean hasTwin = source.hasEngine()
                && !goesBack
                && !isQueued
                && compositions.stream().allMatch(Composition::exact);
        long origin = ORIGINS[random.nextInt(ORIGINS.length)];
        int keys = KEYS[random.nextInt(KEYS.length)];
        Set<Kind> without = EnumSet.noneOf(Kind.class);
        if (!source.hasEngine()) {
            without.addAll(Set.of(Kind.ATTEMPT, Kind.DIAL, Kind.RELEASE_AGAIN, Kind.CHARGE, Kind.WATCH));
        }
        if (!goesBack) {
            without.add(Kind.BACK);
        }
        if (!hasTwin) {
            without.add(Kind.CANCELLED_ATTEMPT); // only a twin shows what they cost
        }
        without.add(isQueued ? Kind.PROBE : Kind.ENQUEUE);
        if (clock == Time.STILL) {
            without.addAll(Set.of(Kind.PASS, Kind.WAIT, Kind.PROBE));
        }
        StepGenerator generator = new StepGenerator(longestPeriod(compositions), keys, without);
        int length = random.nextInt(20, random.nextInt(10) == 0 ? 500 : 120);
        List<Step> steps =
                IntStream.range(0, length).mapToObj(i -> generator.draw(random)).toList();
        return new History(source, compositions, origin, hasTwin, isQueued, steps);
    }

    private static long longestPeriod(List<Composition> compositions) {
        return compositions.stream()
                .flatMap(composition -> composition.parts().stream())
                .mapToLong(part -> part.law() instanceof Rate rate
                        ? rate.by().at(part.limit(), part.limit()).period()
                        : 1)
                .max()
                .orElse(1);
    }

    History with(List<Step> others) {
        return new History(source, compositions, origin, hasTwin, isQueued, others);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < compositions.size(); i++) {
            text.append("\n  spec[")
                    .append(i)
                    .append("] = ")
                    .append(compositions.get(i).spec());
        }
        return text.append(isQueued ? "\n  queue before a" : "\n  ")
                .append(isQueued ? " " : "")
                .append("limiter by spec[0], time ")
                .append(origin)
                .toString();
    }
}
