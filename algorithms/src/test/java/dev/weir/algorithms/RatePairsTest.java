package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.CpuBudget;
import dev.weir.testkit.Seed;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every rate replaces every other, many times: no permits are added, and no request is refused for ever. */
@Tag("proof")
@Tag("property")
class RatePairsTest {
    private static final CpuBudget BUDGET = Stress.seconds(0.6, 10, 100);

    /**
     * A rate.
     *
     * @param tolerance what it may grant at once beyond its burst, where one period ends and the next begins
     */
    private record Subject(StrategySpec spec, Account account, long tolerance) {
        static Subject of(StrategySpec spec, long tolerance) {
            return new Subject(spec, spec.create(new VirtualTime()).account(), tolerance);
        }

        long max() {
            return account.burst() + tolerance;
        }

        /** Nanoseconds from one permit to the next. */
        long distance() {
            return Math.max(1, account.period() / account.permits());
        }

        @Override
        public String toString() {
            return spec.toString();
        }
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    /** The wall clock goes with the ticker. */
    private static List<Subject> subjects(VirtualTime time) {
        InstantSource wall = () -> Instant.ofEpochSecond(1_700_000_000).plusNanos(time.read());
        TokenBucket ten = TokenBucket.of(10, millis(1_000));
        return List.of(
                Subject.of(ten, 0),
                Subject.of(TokenBucket.of(1_000, millis(3_600_000)), 0),
                Subject.of(new TokenBucket(20, millis(500), 20, 20, Refill.INTERVAL), 20),
                Subject.of(ten.withCapacity(100), 0),
                Subject.of(TokenBucket.of(100, millis(1_000)).withCapacity(512).batched(), 0),
                Subject.of(LeakyBucket.of(50, millis(1_000)), 0),
                Subject.of(LeakyBucket.of(5, millis(1_000)).withBurst(9), 0),
                Subject.of(new Gcra(30, millis(100), millis(42)), 1),
                Subject.of(Pacer.of(100, millis(1_000)), 1),
                Subject.of(Pacer.of(7, millis(1_000)).withLargest(6), 1),
                Subject.of(Pacer.of(700, millis(1_000)).withLargest(4), 1),
                Subject.of(Pacer.of(5_000, millis(1_000)), 1),
                Subject.of(FixedWindow.of(10, millis(1_000)), 10),
                Subject.of(FixedWindow.aligned(20, millis(60_000), wall), 20),
                Subject.of(SlidingLog.of(3, millis(1)), 0),
                Subject.of(new SlidingWindow(100, millis(1_000), 1), 0),
                Subject.of(new SlidingWindow(10, millis(1_000), 10), 0),
                Subject.of(new SlidingWindow(1_000, millis(3_600_000), 100), 0),
                Subject.of(new FirstHitQuota(4, millis(10)), 3),
                Subject.of(new FirstHitQuota(1_000, millis(3_600_000)), 999));
    }

    private static void forAllPairs(BiConsumer<List<Subject>, Life> test) {
        BUDGET.forAll(1, random -> {
            int count = subjects(new VirtualTime()).size();
            for (int from = 0; from < count; from++) {
                for (int to = 0; to < count; to++) {
                    VirtualTime time = new VirtualTime(random.nextLong(1L << 60));
                    List<Subject> all = subjects(time);
                    List<Subject> pair = List.of(all.get(from), all.get(to));
                    if (from != to) {
                        test.accept(pair, new Life(pair, time, random));
                    }
                }
            }
        });
    }

    /** One limiter, changed from one rate to another, and what it granted. */
    private static final class Life {
        final List<Subject> subjects;
        final VirtualTime time;
        final SplittableRandom random;
        final ManagedLimiter limiter;
        Subject inForce;
        private final BigInteger denominator;
        private BigInteger surplus = BigInteger.ZERO;
        private BigInteger surplusOfThis = BigInteger.ZERO;

        Life(List<Subject> subjects, VirtualTime time, SplittableRandom random) {
            this.subjects = subjects;
            this.time = time;
            this.random = random;
            this.inForce = subjects.get(0);
            this.limiter =
                    Limiters.builder("changed", inForce.spec).ticker(time).build();
            this.denominator = subjects.stream()
                    .map(subject -> BigInteger.valueOf(subject.account.period()))
                    .reduce(BigInteger.ONE, BigInteger::multiply);
        }

        void change(Subject next) {
            inForce = next;
            surplusOfThis = BigInteger.ZERO;
            limiter.reconfigure(next.spec);
        }

        boolean ask(long permits) {
            boolean granted = limiter.tryAcquire(Request.of(permits)) instanceof Permit;
            if (granted) {
                BigInteger more = BigInteger.valueOf(permits).multiply(denominator);
                surplus = surplus.add(more);
                surplusOfThis = surplusOfThis.add(more);
            }
            return granted;
        }

        void advance(long nanos) {
            time.advance(nanos);
            BigInteger refilled = BigInteger.valueOf(nanos)
                    .multiply(BigInteger.valueOf(inForce.account.permits()))
                    .multiply(denominator.divide(BigInteger.valueOf(inForce.account.period())));
            surplus = surplus.subtract(refilled).max(BigInteger.ZERO);
            surplusOfThis = surplusOfThis.subtract(refilled).max(BigInteger.ZERO);
        }

        /** In any window, and in any window under one rate: the burst, and what refilled by the rates in force. */
        void check() {
            long max = subjects.stream().mapToLong(Subject::max).max().orElseThrow();
            assertTrue(
                    surplus.compareTo(BigInteger.valueOf(max).multiply(denominator)) <= 0,
                    () -> surplus.divide(denominator) + " over what refilled, bound " + max + ": " + subjects);
            assertTrue(
                    surplusOfThis.compareTo(BigInteger.valueOf(inForce.max()).multiply(denominator)) <= 0,
                    () -> surplusOfThis.divide(denominator) + " over what refilled by " + inForce + ": " + subjects);
        }

        void use(int steps) {
            for (int step = 0; step < steps; step++) {
                long largest = Math.min(inForce.account.burst(), 40);
                boolean granted = ask(random.nextInt(4) == 0 ? random.nextLong(1, largest + 1) : 1);
                check();
                if (random.nextInt(3) == 0 || !granted) {
                    long unit = Seed.oneOf(random, inForce.distance(), inForce.distance(), inForce.account.period());
                    advance(random.nextLong(2 * unit));
                }
                if (random.nextInt(100) == 0) {
                    time.jumpTo(time.read() - random.nextLong(inForce.account.period()));
                }
            }
        }
    }

    @Test
    void W5_aThousandChangesAtOneInstantAdmitTheLargerBurst() {
        forAllPairs((pair, life) -> {
            long granted = 0;
            for (int change = 0; change < 1_000; change++) {
                life.change(pair.get(change % 2));
                granted += life.ask(life.inForce.account.burst()) ? life.inForce.account.burst() : 0;
                for (int i = life.random.nextInt(4); i > 0 && life.ask(1); i--) {
                    granted++;
                }
            }
            long max = Math.max(pair.get(0).account.burst(), pair.get(1).account.burst());
            long all = granted;
            assertTrue(all <= max, () -> all + " at one instant, bound " + max + ": " + pair);
        });
    }

    @Test
    void W5_underLoadNoWindowHoldsMoreThanTheBurstAndWhatRefilled() {
        forAllPairs((pair, life) -> {
            for (int change = 0; change < 20; change++) {
                life.change(pair.get(change % 2));
                life.use(life.random.nextInt(30));
            }
        });
    }

    @Test
    void W5_threeInAnyOrder() {
        BUDGET.forAll(300, random -> {
            VirtualTime time = new VirtualTime(random.nextLong(1L << 60));
            List<Subject> all = subjects(time);
            Subject[] any = all.toArray(Subject[]::new);
            List<Subject> three = List.of(Seed.oneOf(random, any), Seed.oneOf(random, any), Seed.oneOf(random, any));
            Life life = new Life(three, time, random);
            for (int change = 0; change < 30; change++) {
                life.change(three.get(random.nextInt(3)));
                life.use(random.nextInt(30));
            }
        });
    }

    @Test
    void W5_theNextPermitsComeNoLaterThanFromADrainedSuccessor() {
        forAllPairs((pair, life) -> {
            for (int change = 0; change < 4; change++) {
                life.use(life.random.nextInt(60));
                Subject next = pair.get((change + 1) % 2);
                life.change(next);
                List<Long> drained = drained(next, life.time.read());
                long start = life.time.read();
                for (int k = 0; k < drained.size(); k++) {
                    long wait = nanosUntilGranted(life, drained.get(k) - (life.time.read() - start));
                    int which = k;
                    assertTrue(wait >= 0, () -> "permit " + which + " later than drained, after " + pair);
                }
            }
        });
    }

    /**
     * When a new strategy, with everything used, grants one permit after another. An aligned window counts as one that
     * begins with the change: otherwise it would lose more, the sooner it ends. A tolerance counts as one of whole
     * permits, of which no part is left.
     */
    private static List<Long> drained(Subject subject, long origin) {
        VirtualTime time = new VirtualTime(origin);
        Strategy strategy = whole(subject.spec, subject.account).create(time);
        long most = subject.spec instanceof Pacer pacer ? pacer.largest() : subject.account.burst();
        strategy.acquire(Request.of(most));
        while (strategy.acquire(Request.ONE) == Strategy.GRANTED) {}
        List<Long> times = new ArrayList<>();
        while (times.size() < Math.min(2 * subject.max() + 3, 40)) {
            long wait = strategy.acquire(Request.ONE);
            time.advance(wait);
            if (wait == Strategy.GRANTED) {
                times.add(time.read() - origin);
            }
        }
        return times;
    }

    private static StrategySpec whole(StrategySpec spec, Account account) {
        Duration period = Duration.ofNanos(account.period());
        if (spec instanceof Gcra) {
            return Gcra.every(period, period.multipliedBy(account.burst() - 1));
        }
        return spec instanceof FixedWindow ? FixedWindow.of(account.permits(), period) : spec;
    }

    /** Tries after each hinted wait until granted; -1 if that takes longer than the given nanoseconds. */
    private static long nanosUntilGranted(Life life, long atMost) {
        long waited = 0;
        while (life.limiter.tryAcquire() instanceof Rejection rejection) {
            waited += rejection.retryAfterNanos();
            if (waited > atMost) {
                return -1;
            }
            life.advance(rejection.retryAfterNanos());
        }
        return waited;
    }

    /** Requests one permit repeatedly, in equal steps. */
    @Test
    void W5_underSteadyDemandNoAlternationAdmitsLessThanThePoorer() {
        forAllPairs((pair, life) -> {
            long slowest = Math.max(pair.get(0).distance(), pair.get(1).distance());
            long step = Math.max(1, slowest / life.random.nextLong(2, 20));
            int steps = 1_000;
            long alone = Math.min(alone(pair.get(0), step, steps), alone(pair.get(1), step, steps));
            int every = life.random.nextInt(1, 100);
            long granted = 0;
            for (int i = 0; i < steps; i++) {
                if (i % every == 0) {
                    life.change(pair.get(i / every % 2));
                }
                granted += life.ask(1) ? 1 : 0;
                life.advance(step);
            }
            long burst =
                    Math.max(pair.get(0).account.burst(), pair.get(1).account.burst());
            long min = alone - burst - steps / every - 1;
            long all = granted;
            assertTrue(all >= min, () -> all + " granted, least " + min + ": " + pair);
        });
    }

    private static long alone(Subject subject, long step, int steps) {
        VirtualTime time = new VirtualTime();
        Strategy strategy = subject.spec.create(time);
        long granted = 0;
        for (int i = 0; i < steps; i++) {
            granted += strategy.acquire(Request.ONE) == Strategy.GRANTED ? 1 : 0;
            time.advance(step);
        }
        return granted;
    }
}
