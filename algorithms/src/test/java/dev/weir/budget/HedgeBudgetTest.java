package dev.weir.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.StrategyContract;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link HedgeBudget} has no limit that could be set; the contract shows that it leaves another limit as it is. */
@Tag("property")
class HedgeBudgetTest extends StrategyContract {
    private static final Request HEDGE = Request.ONE.withPriority(1);

    @Override
    protected StrategySpec spec(long limit) {
        return AllOf.of(new Semaphore(limit), HedgeBudget.of(0.05));
    }

    private static ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.of("search", spec);
    }

    private static void calls(ManagedLimiter limiter, int count, Outcome outcome) {
        for (int i = 0; i < count; i++) {
            assertInstanceOf(Permit.class, limiter.tryAcquire()).release(outcome);
        }
    }

    private static long left(ManagedLimiter limiter) {
        return limiter.snapshot().details().get("hedgesLeft");
    }

    @Test
    void grpcsRuleByHand() {
        // 0.25 of a success, at most 2 saved; a failure takes 1
        ManagedLimiter limiter = limiter(new HedgeBudget(0.25, 2));
        assertEquals(Reason.RATE, refused(limiter, HEDGE)); // begins with nothing
        calls(limiter, 3, Outcome.SUCCESS); // 0.75
        assertEquals(Reason.RATE, refused(limiter, HEDGE));
        calls(limiter, 1, Outcome.SUCCESS); // 1
        Permit hedge = assertInstanceOf(Permit.class, limiter.tryAcquire(HEDGE)); // 0
        assertEquals(Reason.RATE, refused(limiter, HEDGE));
        hedge.release(Outcome.IGNORED); // the first call was quicker
        assertEquals(0, left(limiter));
        calls(limiter, 100, Outcome.SUCCESS); // 2
        calls(limiter, 1, Outcome.DROPPED); // 1
        assertEquals(1, left(limiter));
        calls(limiter, 5, Outcome.DROPPED); // 0, no less
        calls(limiter, 4, Outcome.SUCCESS); // 1
        assertEquals(1, left(limiter));
        assertInstanceOf(Permit.class, limiter.tryAcquire(HEDGE)).release(Outcome.SUCCESS); // 0.25
        calls(limiter, 3, Outcome.SUCCESS); // 1
        assertEquals(1, limiter.quota(HEDGE).remaining());
        assertEquals(Reason.RATE, refused(limiter, HEDGE.withPermits(2)));
        assertEquals(Reason.NEVER, refused(limiter, HEDGE.withPermits(3)));
        assertEquals(0, limiter.inFlight());
    }

    private static Reason refused(ManagedLimiter limiter, Request request) {
        return assertInstanceOf(Rejection.class, limiter.tryAcquire(request)).reason();
    }

    @Test
    void aHedgeThatIsUndoneIsPaidBack() {
        ManagedLimiter limiter = limiter(AllOf.of(new HedgeBudget(1, 5), new Semaphore(1)));
        calls(limiter, 1, Outcome.SUCCESS);
        Permit first = assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertEquals(Reason.CONCURRENCY, refused(limiter, HEDGE));
        first.release(Outcome.IGNORED);
        assertInstanceOf(Permit.class, limiter.tryAcquire(HEDGE.refundable())).release(Outcome.CANCELLED);
        assertInstanceOf(Permit.class, limiter.tryAcquire(HEDGE)).release(Outcome.CANCELLED);
        assertEquals(Reason.RATE, refused(limiter, HEDGE));
    }

    @Test
    void aChangeKeepsTheBalanceUpToTheBurst() {
        ManagedLimiter limiter = limiter(new HedgeBudget(1, 100));
        calls(limiter, 50, Outcome.SUCCESS);
        limiter.reconfigure(new HedgeBudget(0.5, 20));
        assertEquals(20, left(limiter));
        assertEquals(Reason.NEVER, refused(limiter, HEDGE.withPermits(21)));
        assertInstanceOf(Permit.class, limiter.tryAcquire(HEDGE.withPermits(5))).close();
        limiter.reconfigure(AllOf.of(new HedgeBudget(0.5, 30), new Semaphore(10)));
        calls(limiter, 4, Outcome.SUCCESS);
        assertInstanceOf(Permit.class, limiter.tryAcquire(HEDGE.withPermits(10)))
                .close();
        assertInstanceOf(Permit.class, limiter.tryAcquire(HEDGE.withPermits(7))).close();
        assertEquals(Reason.RATE, refused(limiter, HEDGE));
    }

    @Test
    void theLargestFiguresDoNotOverflow() {
        ManagedLimiter limiter = limiter(new HedgeBudget(1, Integer.MAX_VALUE));
        Request largest = Request.of(Integer.MAX_VALUE);
        for (int i = 0; i < 10; i++) {
            assertInstanceOf(Permit.class, limiter.tryAcquire(largest)).release(Outcome.SUCCESS);
        }
        assertEquals(Integer.MAX_VALUE, left(limiter));
        assertInstanceOf(Permit.class, limiter.tryAcquire(largest.withPriority(1)))
                .release(Outcome.DROPPED);
        assertEquals(0, left(limiter));
    }

    @ParameterizedTest
    @CsvSource({
        "1.01, 10, 'share must be >= 0 and <= 1, was 1.01'",
        "0.05, 0, 'burst must be >= 1 and <= 2147483647, was 0'",
        "0.05, 2147483648, 'burst must be >= 1 and <= 2147483647, was 2147483648'"
    })
    void R3_refusesFiguresOutOfTheirRange(double share, long burst, String message) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> new HedgeBudget(share, burst))
                        .getMessage());
    }

    @Test
    void asTheModelOverAnyScript() {
        Seed.forAll(200, random -> {
            long thousandths = random.nextLong(1001);
            long most = 1000 * (1 + random.nextLong(5));
            ManagedLimiter limiter = limiter(new HedgeBudget(thousandths / 1000.0, most / 1000));
            long model = 0;
            for (int step = 0; step < 300; step++) {
                boolean isHedge = random.nextBoolean();
                boolean isGranted = !isHedge || model >= 1000;
                assertEquals(
                        isGranted,
                        limiter.tryAcquire(isHedge ? HEDGE : Request.ONE) instanceof Permit permit
                                && permit.release(Outcome.IGNORED));
                model -= isHedge && isGranted ? 1000 : 0;
                Outcome outcome = Seed.oneOf(random, Outcome.SUCCESS, Outcome.DROPPED, Outcome.IGNORED);
                calls(limiter, 1, outcome);
                model += outcome == Outcome.SUCCESS ? thousandths : outcome == Outcome.DROPPED ? -1000 : 0;
                model = Math.max(0, Math.min(model, most));
            }
        });
    }

    @Test
    void threadsGetExactlyWhatWasPaidIn() throws Exception {
        ManagedLimiter limiter = limiter(new HedgeBudget(0.125, Integer.MAX_VALUE));
        AtomicLong hedges = new AtomicLong();
        int threads = 4;
        Together.run(Collections.nCopies(threads, () -> {
            SplittableRandom random =
                    new SplittableRandom(Thread.currentThread().getId());
            for (int i = 0; i < 16_000; i++) {
                calls(limiter, 1, Outcome.SUCCESS);
                if (random.nextInt(4) == 0 && limiter.tryAcquire(HEDGE) instanceof Permit permit) {
                    permit.release(Outcome.IGNORED);
                    hedges.incrementAndGet();
                }
            }
        }));
        assertTrue(hedges.get() > 0, "no hedge was granted");
        assertEquals(threads * 16_000 / 8, hedges.get() + left(limiter));
        assertEquals(List.of(0L), List.of(limiter.inFlight()));
    }
}
