package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code used()} compared with a list of all grants: never less than the list has, and little more. */
@Tag("property")
class UsedTest {
    private record Grant(long forward, long reading, long permits) {}

    /** @param tolerance what it may count as used beyond the exact figure: what arrives at once, a window, a block, the batches */
    private record Subject(StrategySpec spec, long tolerance) {}

    private static Subject subject(SplittableRandom random) {
        long limit = random.nextBoolean() ? random.nextLong(1, 6) : random.nextLong(1, 60);
        Duration period =
                Duration.ofNanos(random.nextBoolean() ? random.nextLong(1, 200) : random.nextLong(1, 1L << 40));
        long other = random.nextLong(1, 60);
        TokenBucket bucket = TokenBucket.of(limit, period).withCapacity(other);
        return Seed.oneOf(
                random,
                new Subject(bucket, 1),
                new Subject(new TokenBucket(limit, period, other, other, Refill.INTERVAL), limit),
                new Subject(bucket.withCapacity(700).batched(), 350),
                new Subject(new LeakyBucket(limit, period, other), 1),
                new Subject(Gcra.of(limit, period), 1),
                new Subject(Gcra.every(period, Duration.ofNanos(random.nextLong(1, 1_000))), 1),
                new Subject(Pacer.of(limit, period).withLargest(other), 1),
                new Subject(
                        Pacer.of(limit, Duration.ofNanos(random.nextLong(1, 1L << 28)))
                                .withLargest(other),
                        1),
                new Subject(FixedWindow.of(limit, period), limit),
                new Subject(SlidingLog.of(limit, period), 0),
                new Subject(new SlidingWindow(limit, period, random.nextInt(1, 20)), limit),
                new Subject(new FirstHitQuota(limit, period), limit));
    }

    /** One history: requests of any weight, some of them refunded later, and a clock that also runs back. */
    private static final class History {
        final VirtualTime time;
        final Strategy strategy;
        final List<Grant> grants = new ArrayList<>();
        private final StrategySpec spec;
        private final long tolerance;
        private final long step;
        private final SplittableRandom random;
        private long forward;
        private boolean isPlain = true;

        /* The grants from before the clock ran back: their age is unknown to a bucket. */
        private int unsure;

        History(Subject subject, SplittableRandom random) {
            this.random = random;
            this.spec = subject.spec;
            this.tolerance = subject.tolerance;
            time = new VirtualTime(random.nextLong());
            strategy = subject.spec.create(time);
            Account flow = strategy.account();
            step = Math.max(2, flow.period() / random.nextLong(1, 2 * flow.permits() + 1));
        }

        void step(boolean refunds, boolean backwards) {
            long permits = random.nextInt(3) > 0
                    ? 1
                    : random.nextLong(1, strategy.account().burst() + 1);
            long reading = time.read();
            if (strategy.acquire(Request.of(permits)) == Strategy.GRANTED) {
                grants.add(new Grant(forward, reading, permits));
            }
            int oldest = Math.max(unsure, grants.size() - 5);
            if (refunds && oldest < grants.size() && random.nextInt(4) == 0) {
                isPlain = false;
                Grant last = grants.remove(random.nextInt(oldest, grants.size()));
                strategy.release(Request.of(last.permits), Outcome.CANCELLED);
                strategy.refund(Request.of(last.permits), last.reading);
            }
            if (backwards && random.nextInt(50) == 0) {
                isPlain = false;
                unsure = grants.size();
                time.jumpTo(time.read() - random.nextLong(1, 20 * step));
            } else if (random.nextInt(3) == 0) {
                long nanos = random.nextInt(20) == 0 ? random.nextLong(50 * step) : random.nextLong(step);
                time.advance(nanos);
                forward += nanos;
            }
        }

        /** Multiplied by the period, so that nothing is rounded. */
        private BigInteger surplus() {
            Account flow = strategy.account();
            BigInteger sum = BigInteger.ZERO;
            BigInteger max = BigInteger.ZERO;
            for (int i = grants.size() - 1; i >= 0; i--) {
                Grant grant = grants.get(i);
                sum = sum.add(BigInteger.valueOf(grant.permits).multiply(BigInteger.valueOf(flow.period())));
                BigInteger refilled =
                        BigInteger.valueOf(forward - grant.forward).multiply(BigInteger.valueOf(flow.permits()));
                max = max.max(sum.subtract(refilled));
            }
            return max;
        }

        void check() {
            BigInteger exact = surplus();
            BigInteger reported = BigInteger.valueOf(Traffic.used(strategy))
                    .multiply(BigInteger.valueOf(strategy.account().period()));
            assertTrue(reported.compareTo(exact) >= 0, () -> spec + " reports less: " + reported + " of " + exact);
            BigInteger more = BigInteger.valueOf(tolerance + 1)
                    .multiply(BigInteger.valueOf(strategy.account().period()));
            if (isPlain) {
                assertTrue(
                        reported.compareTo(exact.add(more)) <= 0,
                        () -> spec + " reports " + reported + " for " + exact);
            }
        }
    }

    private static void histories(boolean refunds, boolean backwards) {
        Traffic.forAll(500, random -> {
            History history = new History(subject(random), random);
            for (int i = 0; i < 200; i++) {
                history.step(refunds, backwards);
                history.check();
            }
        });
    }

    @Test
    void W5_whatWasGrantedAndHasNotRefilled() {
        histories(false, false);
    }

    @Test
    void W5_R6_lessWhatWasGivenBack() {
        histories(true, false);
    }

    @Test
    void W5_R4_whateverTheClockDoes() {
        histories(false, true);
        histories(true, true);
    }
}
