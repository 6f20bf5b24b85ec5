package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.succession.Succession;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Oracle.Grant;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** A strategy under a virtual clock, and the grants it made. */
final class Traffic {
    final VirtualTime time;
    final List<Grant> grants = new ArrayList<>();
    PartStrategy strategy;
    private final long start;
    private Succession succession;

    Traffic(StrategySpec spec, long origin) {
        time = new VirtualTime(origin);
        start = origin;
        succession = Succession.of(spec, Parts.create(spec, time));
        strategy = succession.strategy();
    }

    Traffic(StrategySpec spec) {
        this(spec, 1);
    }

    /** Runs a property for this many seeds, and for more in a longer form. */
    static void forAll(int few, Consumer<SplittableRandom> property) {
        Stress.seconds(0, 1, 20).forAll(few, property);
    }

    /** Puts another specification in force. */
    void change(StrategySpec next) {
        succession = succession.next(next, time, () -> {}, made -> {});
        strategy = succession.strategy();
    }

    /** The strategy that replaces one that runs by another specification. */
    static PartStrategy changed(StrategySpec from, Strategy running, StrategySpec to, Ticker ticker) {
        return Succession.of(from, Parts.of(running))
                .next(to, ticker, () -> {}, made -> {})
                .strategy();
    }

    /** The permits that this rate has granted and that have not refilled. */
    static long used(Strategy rate) {
        return Objects.requireNonNull(rate.account(), "account()").used();
    }

    long used() {
        return used(strategy);
    }

    /** The permits that requests for one permit would get now. */
    static long remaining(Strategy asked) {
        return Objects.requireNonNull(asked.quota(Request.ONE), "quota").remaining();
    }

    long remaining() {
        return remaining(strategy);
    }

    /** Requests permits: the wait in nanoseconds, negative if never. */
    long waitFor(long permits) {
        long answer = strategy.acquire(Request.of(permits));
        assertTrue(answer >= Strategy.NEVER, () -> "answer " + answer);
        assertTrue(answer != Strategy.UNTIL_RELEASE, "no release helps a rate");
        if (answer == Strategy.GRANTED) {
            grants.add(new Grant(time.read() - start, permits));
        }
        return answer;
    }

    boolean ask(long permits) {
        return waitFor(permits) == Strategy.GRANTED;
    }

    boolean ask() {
        return ask(1);
    }

    /** Requests single permits until one is refused; returns how many are granted, at most {@code atMost}. */
    long take(long atMost) {
        long taken = 0;
        while (taken < atMost && ask(1)) {
            taken++;
        }
        return taken;
    }

    /** Requests permits until granted, and checks that the wait of a rejection is exact. */
    void askExactly(long permits) {
        long wait = waitFor(permits);
        if (wait != Strategy.GRANTED) {
            assertTrue(wait > 0, () -> "wait " + wait);
            time.advance(wait - 1);
            assertEquals(1, waitFor(permits), "one nanosecond early, by the wait of " + wait);
            time.advance(1);
            assertTrue(ask(permits), () -> "at the end of a wait of " + wait);
        }
    }

    /** Random requests: many at once, before, at and after the hinted wait, and after idleness. */
    void random(SplittableRandom random, int steps, long largest, long idle) {
        for (int step = 0; step < steps; step++) {
            long permits = random.nextInt(3) == 0 ? random.nextLong(1, largest + 1) : 1;
            long wait = waitFor(permits);
            long left = Long.MAX_VALUE - (time.read() - start);
            switch (random.nextInt(6)) {
                case 0, 1 -> advance(Math.max(0, wait), left);
                case 2 -> advance(Math.max(0, wait - 1), left);
                case 3 -> advance(random.nextLong(idle), left);
                case 4 -> advance(1, left);
                default -> {}
            }
        }
    }

    private void advance(long nanos, long atMost) {
        time.advance(Math.min(nanos, atMost));
    }

    /** Asserts a bound in windows of many lengths, edges included. */
    void assertBound(long unit, java.util.function.LongFunction<BigInteger> bound) {
        for (long window : new long[] {1, 2, unit - 1, unit, unit + 1, 3 * unit, 10 * unit + 7, 1_000 * unit}) {
            if (window > 0) {
                long max = bound.apply(window)
                        .min(BigInteger.valueOf(Long.MAX_VALUE))
                        .longValue();
                Oracle.assertWindow(grants, window, max);
            }
        }
    }

    /** base + floor(window * permits / period). */
    static BigInteger bound(long base, long window, long permits, long period) {
        return BigInteger.valueOf(window)
                .multiply(BigInteger.valueOf(permits))
                .divide(BigInteger.valueOf(period))
                .add(BigInteger.valueOf(base));
    }
}
