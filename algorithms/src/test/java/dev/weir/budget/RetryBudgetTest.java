package dev.weir.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link RetryBudget} has no limit that could be set; the contract shows that it leaves another limit as it is. */
@Tag("property")
class RetryBudgetTest extends StrategyContract {
    private static final Request RETRY = Request.ONE.withPriority(1);
    private static final long SECOND = 1_000_000_000;

    private final VirtualTime time = new VirtualTime();

    @Override
    protected StrategySpec spec(long limit) {
        return AllOf.of(new Semaphore(limit), RetryBudget.of(0.1, 3));
    }

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("payments", spec).ticker(time).build();
    }

    private static void call(ManagedLimiter limiter, Request request, Outcome outcome) {
        assertInstanceOf(Permit.class, limiter.tryAcquire(request)).release(outcome);
    }

    private static void calls(ManagedLimiter limiter, int count, Outcome outcome) {
        for (int i = 0; i < count; i++) {
            call(limiter, Request.ONE, outcome);
        }
    }

    /* Retries that fail, until one is refused. */
    private static int retries(ManagedLimiter limiter) {
        int granted = 0;
        Decision decision = limiter.tryAcquire(RETRY);
        while (decision instanceof Permit permit) {
            permit.release(Outcome.DROPPED);
            granted++;
            decision = limiter.tryAcquire(RETRY);
        }
        assertEquals(Reason.RATE, ((Rejection) decision).reason());
        return granted;
    }

    @Test
    void finaglesRuleByHand() {
        // 20 % of the successes of 10 s, and 2 a second: 1 in 5, and 2 at first
        ManagedLimiter limiter = limiter(RetryBudget.of(0.2, 2));
        assertEquals(2, retries(limiter)); // the floor alone
        calls(limiter, 4, Outcome.SUCCESS); // 0.8
        assertEquals(0, retries(limiter));
        calls(limiter, 1, Outcome.SUCCESS); // 1.0
        assertEquals(1, retries(limiter));
        calls(limiter, 100, Outcome.DROPPED); // failures pay nothing
        calls(limiter, 100, Outcome.IGNORED);
        assertEquals(0, retries(limiter));
        calls(limiter, 50, Outcome.SUCCESS); // 10.0
        time.advance(Duration.ofMillis(500)); // and half of the floor: 1
        assertEquals(11, retries(limiter));
        calls(limiter, 50, Outcome.SUCCESS); // 10.0 in the first second
        time.advance(Duration.ofMillis(9_499)); // in the tenth second it is still there, and the floor is full
        assertEquals(12, retries(limiter));
        calls(limiter, 50, Outcome.SUCCESS);
        time.advance(Duration.ofSeconds(10)); // over
        assertEquals(2, retries(limiter));
    }

    @Test
    void theShareOfGrpcByHand() {
        // tokenRatio 0.1: ten successes buy one retry, whatever lies between; 0.001 is exact as well
        ManagedLimiter limiter = limiter(RetryBudget.of(0.1, 0));
        for (int round = 0; round < 20; round++) {
            assertEquals(0, retries(limiter));
            calls(limiter, 9, Outcome.SUCCESS);
            assertEquals(0, retries(limiter));
            calls(limiter, 1, Outcome.SUCCESS);
            assertEquals(1, retries(limiter));
        }
        limiter.reconfigure(RetryBudget.of(0.001, 0));
        calls(limiter, 999, Outcome.SUCCESS);
        assertEquals(0, retries(limiter));
        calls(limiter, 1, Outcome.SUCCESS);
        assertEquals(1, retries(limiter));
    }

    @Test
    void whatWasPaidInEndsSliceBySlice() {
        ManagedLimiter limiter = limiter(new RetryBudget(1, 0, Duration.ofSeconds(10)));
        for (int second = 0; second < 10; second++) {
            calls(limiter, second, Outcome.SUCCESS); // 0 + 1 + ... + 9 = 45
            assertEquals(second * (second + 1) / 2, left(limiter));
            time.advance(Duration.ofSeconds(1));
        }
        assertEquals(45, left(limiter)); // the 0 of the first second is over
        time.advance(Duration.ofSeconds(1));
        assertEquals(44, left(limiter));
        assertInstanceOf(Permit.class, limiter.tryAcquire(RETRY)); // of the 2 of the oldest second, the first
        time.advance(Duration.ofSeconds(1));
        assertEquals(42, left(limiter)); // of which 1 was left
    }

    private static long left(ManagedLimiter limiter) {
        return limiter.snapshot().details().get("retriesLeft");
    }

    @Test
    void theHintIsWhenTheFloorGrantsIt() {
        ManagedLimiter limiter = limiter(RetryBudget.of(0.5, 4));
        assertEquals(4, retries(limiter));
        assertEquals(SECOND / 4, hint(limiter, RETRY));
        assertEquals(SECOND, hint(limiter, RETRY.withPermits(4)));
        assertEquals(0, hint(limiter, RETRY.withPermits(5))); // the floor alone never has 5
        calls(limiter, 1, Outcome.SUCCESS); // 0.5
        assertEquals(SECOND / 8, hint(limiter, RETRY));
        time.advance(Duration.ofNanos(SECOND / 8 - 1));
        assertEquals(1, hint(limiter, RETRY));
        time.advance(Duration.ofNanos(1));
        assertInstanceOf(Permit.class, limiter.tryAcquire(RETRY));
        assertEquals(0, hint(limiter(RetryBudget.of(0.5, 0)), RETRY)); // no floor: only a success helps
    }

    private static long hint(ManagedLimiter limiter, Request request) {
        Rejection refused = assertInstanceOf(Rejection.class, limiter.tryAcquire(request));
        assertEquals(Reason.RATE, refused.reason());
        return refused.retryAfterNanos();
    }

    @Test
    void permitsPayAndCostAsManyAsTheyAre() {
        ManagedLimiter limiter = limiter(RetryBudget.of(0.1, 0));
        call(limiter, Request.of(30), Outcome.SUCCESS);
        call(limiter, RETRY.withPermits(2), Outcome.DROPPED);
        assertEquals(1, retries(limiter));
        call(limiter, Request.of(Integer.MAX_VALUE), Outcome.SUCCESS);
        assertEquals(214_748_364, left(limiter));
        for (int i = 0; i < 50; i++) {
            call(limiter, Request.of(Integer.MAX_VALUE), Outcome.SUCCESS); // saturates
        }
        assertTrue(left(limiter) > 400_000_000, () -> "left " + left(limiter));
        Rejection tooMuch =
                assertInstanceOf(Rejection.class, limiter.tryAcquire(RETRY.withPermits(Integer.MAX_VALUE + 1L)));
        assertEquals(Reason.NEVER, tooMuch.reason());
        assertInstanceOf(Rejection.class, limiter.tryAcquire(Request.of(Integer.MAX_VALUE + 1L)));
    }

    @Test
    void aRetryThatIsUndoneIsPaidBackAndOneThatIsNotStaysSpent() {
        ManagedLimiter limiter = limiter(RetryBudget.of(0, 1));
        call(limiter, RETRY.refundable(), Outcome.CANCELLED);
        call(limiter, RETRY, Outcome.CANCELLED); // not asked to be refunded
        assertEquals(0, retries(limiter));
        ManagedLimiter both = limiter(AllOf.of(RetryBudget.of(0, 1), new Semaphore(1)));
        Permit first = assertInstanceOf(Permit.class, both.tryAcquire());
        assertEquals(
                Reason.CONCURRENCY,
                assertInstanceOf(Rejection.class, both.tryAcquire(RETRY)).reason());
        first.close();
        assertEquals(1, retries(both));
    }

    @Test
    void whatIsInFlightIsCountedAndReleasedOnce() {
        ManagedLimiter limiter = limiter(RetryBudget.of(1, 0));
        Permit permit = assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertEquals(1, limiter.inFlight());
        assertTrue(permit.release(Outcome.SUCCESS));
        assertEquals(false, permit.release(Outcome.SUCCESS));
        assertEquals(0, limiter.inFlight());
        assertEquals(1, retries(limiter)); // paid in once
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.reconfigure(new Semaphore(1));
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
        held.close();
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    @Test
    void aChangeOfTheFiguresKeepsWhatIsLeft() {
        ManagedLimiter limiter = limiter(new RetryBudget(0.5, 10, Duration.ofSeconds(10)));
        calls(limiter, 100, Outcome.SUCCESS);
        limiter.reconfigure(new RetryBudget(0.1, 4, Duration.ofSeconds(20)));
        assertEquals(54, left(limiter)); // the floor has at most 4 now
        time.advance(Duration.ofMillis(19_999));
        assertEquals(54, left(limiter));
        limiter.reconfigure(new RetryBudget(0.1, 0, Duration.ofSeconds(1)));
        time.advance(Duration.ofMillis(900));
        assertEquals(50, retries(limiter));
        calls(limiter, 10, Outcome.SUCCESS);
        assertEquals(1, retries(limiter));
    }

    @Test
    void besideALimitThatComesAndGoesItKeepsWhatIsLeft() {
        RetryBudget budget = RetryBudget.of(0.1, 2);
        ManagedLimiter limiter = limiter(AllOf.of(budget, new Semaphore(100)));
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        call(limiter, Request.of(70), Outcome.SUCCESS); // 7, and 2
        call(limiter, RETRY.withPermits(3), Outcome.DROPPED);
        List<StrategySpec> others = List.of(
                AllOf.of(budget, new Semaphore(50), new Counter(60)),
                budget,
                AllOf.of(new Semaphore(30), budget),
                AllOf.of(RetryBudget.of(0.2, 2), PriorityShedding.of(80, 10)));
        for (StrategySpec other : others) {
            limiter.reconfigure(other);
            assertEquals(1, limiter.inFlight());
            call(limiter, RETRY, Outcome.DROPPED);
        }
        held.release(Outcome.SUCCESS); // it was granted four changes ago, and pays in all the same: 2 + 0.2
        assertEquals(0, limiter.inFlight());
        assertEquals(2, retries(limiter));
        call(limiter, Request.of(3), Outcome.SUCCESS);
        assertEquals(0, retries(limiter)); // 0.8
        call(limiter, Request.ONE, Outcome.SUCCESS);
        assertEquals(1, retries(limiter));
    }

    @Test
    void aTickerThatRunsBackAddsNothing() {
        ManagedLimiter limiter = limiter(RetryBudget.of(0.1, 2));
        calls(limiter, 10, Outcome.SUCCESS);
        assertEquals(3, retries(limiter));
        for (int i = 0; i < 100; i++) {
            time.jumpTo(time.read() - 3600 * SECOND);
            assertEquals(0, retries(limiter));
        }
        time.advance(Duration.ofSeconds(1)); // forward again: no hundred hours of standing still
        assertEquals(2, retries(limiter));
    }

    @Test
    void eachKeyHasItsOwn() {
        ManagedLimiter limiter = limiter(Keyed.of(RetryBudget.of(0.5, 0), 100));
        for (String key : List.of("a", "b")) {
            call(limiter, Request.forKey("a"), Outcome.SUCCESS);
            assertInstanceOf(
                    Rejection.class, limiter.tryAcquire(Request.forKey("b").withPriority(1)), key);
        }
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("a").withPriority(1)));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(Request.forKey("a").withPriority(2)));
    }

    @Test
    void theQuotaIsWhatRetriesGet() {
        ManagedLimiter limiter = limiter(RetryBudget.of(0.1, 3));
        calls(limiter, 15, Outcome.SUCCESS);
        assertEquals(4, limiter.quota(RETRY).remaining());
        assertEquals(Integer.MAX_VALUE, limiter.quota(Request.ONE).remaining());
        assertEquals(4, retries(limiter));
        assertEquals(0, limiter.quota(RETRY).remaining());
        assertEquals(Set.of(Reason.RATE), limiter.reasons());
    }

    @ParameterizedTest
    @CsvSource({
        "-0.1, 3, 10, 'share must be >= 0 and <= 1, was -0.1'",
        "1.5, 3, 10, 'share must be >= 0 and <= 1, was 1.5'",
        "NaN, 3, 10, 'share must be >= 0 and <= 1, was NaN'",
        "0.1, -1, 10, 'floorPerSecond must be >= 0 and <= 1000000000, was -1'",
        "0.1, 1000000001, 10, 'floorPerSecond must be >= 0 and <= 1000000000, was 1000000001'",
        "0.1, 3, 0, 'period must be >= PT1S and <= PT1H, was PT0S'",
        "0.1, 3, 3601, 'period must be >= PT1S and <= PT1H, was PT1H1S'"
    })
    void R3_refusesFiguresOutOfTheirRange(double share, long floor, long seconds, String message) {
        Duration period = Duration.ofSeconds(seconds);
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> new RetryBudget(share, floor, period))
                        .getMessage());
    }

    @Test
    void neverMoreThanTheShareAndTheFloor() {
        Seed.forAll(200, random -> {
            History history = new History(random, new VirtualTime(random.nextLong()));
            for (int step = 0; step < 400; step++) {
                history.step(random);
                assertTrue(history.isWithinTheBudget(), history::toString);
            }
        });
    }

    /** One budget whose figures never change, under random calls; counts in whole permits by exact fractions. */
    private static final class History {
        private final long perThousand;
        private final long floor;
        private final VirtualTime time;
        private final ManagedLimiter limiter;
        private final List<Permit> open = new ArrayList<>();
        private final long start;
        private long successes;
        private long retries;

        History(SplittableRandom random, VirtualTime time) {
            this.perThousand = random.nextLong(1001);
            this.floor = random.nextLong(5);
            this.time = time;
            this.start = time.read();
            RetryBudget spec =
                    new RetryBudget(perThousand / 1000.0, floor, Duration.ofMillis(1000 + random.nextInt(20_000)));
            this.limiter = Limiters.builder("random", spec).ticker(time).build();
        }

        void step(SplittableRandom random) {
            switch (random.nextInt(8)) {
                case 0 -> time.advance(Duration.ofNanos(random.nextLong(3 * SECOND)));
                case 1, 2, 3 -> open.add(assertInstanceOf(Permit.class, limiter.tryAcquire()));
                case 4, 5 -> {
                    if (limiter.tryAcquire(RETRY) instanceof Permit permit) {
                        retries++;
                        open.add(permit);
                    }
                }
                default -> release(random);
            }
        }

        private void release(SplittableRandom random) {
            if (!open.isEmpty()) {
                boolean succeeds = random.nextInt(3) > 0;
                open.remove(random.nextInt(open.size())).release(succeeds ? Outcome.SUCCESS : Outcome.DROPPED);
                successes += succeeds ? 1 : 0;
            }
        }

        boolean isWithinTheBudget() {
            return retries * SECOND
                    <= successes * perThousand * (SECOND / 1000) + floor * (time.read() - start + SECOND);
        }

        @Override
        public String toString() {
            return retries + " retries, " + successes + " successes at " + perThousand + "/1000, floor " + floor;
        }
    }

    @Test
    void whateverWasBeforeTheFloorIsGranted() {
        Seed.forAll(100, random -> {
            History history = new History(random, new VirtualTime(random.nextLong()));
            for (int step = 0; step < 100; step++) {
                history.step(random);
            }
            long from = history.retries;
            long seconds = 1 + random.nextInt(20);
            for (long milli = 0; milli < 1000 * seconds; milli++) {
                history.time.advance(Duration.ofMillis(1));
                if (history.limiter.tryAcquire(RETRY) instanceof Permit permit) {
                    permit.release(Outcome.DROPPED);
                    history.retries++;
                }
            }
            assertTrue(history.retries - from >= seconds * history.floor, history::toString);
        });
    }

    @Test
    void threadsAtOneInstantGetExactlyWhatWasPaidIn() throws Exception {
        ManagedLimiter limiter = limiter(RetryBudget.of(0.125, 7));
        SplittableRandom seeds = new SplittableRandom(43);
        List<Tally> tallies = List.of(new Tally(seeds), new Tally(seeds), new Tally(seeds), new Tally(seeds));
        Together.run(tallies.stream()
                .<Runnable>map(tally -> () -> tally.run(limiter))
                .toList());
        long successes = tallies.stream().mapToLong(tally -> tally.successes).sum();
        long retries = tallies.stream().mapToLong(tally -> tally.retries).sum();
        assertEquals((successes + 7 * 8) / 8, retries + retries(limiter));
        assertEquals(0, limiter.inFlight());
    }

    /** What one thread did. */
    private static final class Tally {
        private final SplittableRandom random;
        private long successes;
        private long retries;

        Tally(SplittableRandom seeds) {
            random = seeds.split();
        }

        void run(ManagedLimiter limiter) {
            for (int i = 0; i < 20_000; i++) {
                boolean again = random.nextInt(4) == 0;
                if (limiter.tryAcquire(again ? RETRY : Request.ONE) instanceof Permit permit) {
                    boolean succeeds = random.nextBoolean();
                    permit.release(succeeds ? Outcome.SUCCESS : Outcome.DROPPED);
                    successes += succeeds ? 1 : 0;
                    retries += again ? 1 : 0;
                }
            }
        }
    }
}
