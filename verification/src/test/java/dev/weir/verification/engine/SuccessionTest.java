package dev.weir.verification.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Adjustable;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What survives a change of the specification, worked out by hand. */
class SuccessionTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("n", spec).ticker(time).build();
    }

    private static int takeAll(ManagedLimiter limiter) {
        return take(limiter).size();
    }

    private static List<Permit> take(ManagedLimiter limiter) {
        return take(limiter, Request.ONE);
    }

    private static List<Permit> take(ManagedLimiter limiter, Request request) {
        List<Permit> taken = new ArrayList<>();
        while (taken.size() < 10_000 && limiter.tryAcquire(request) instanceof Permit permit) {
            taken.add(permit);
        }
        return taken;
    }

    @Test
    void W5_smallerAndLargerAgainAtOneInstantMintsNothing() {
        ManagedLimiter limiter = limiter(TokenBucket.of(10, SECOND));
        assertEquals(10, takeAll(limiter));
        for (StrategySpec spec : List.of(
                TokenBucket.of(3, SECOND),
                Pacer.of(10, SECOND),
                FixedWindow.of(10, SECOND),
                SlidingLog.of(3, SECOND),
                FixedWindow.of(10, SECOND),
                TokenBucket.of(10, SECOND))) {
            limiter.reconfigure(spec);
            assertEquals(0, takeAll(limiter), spec::toString);
        }
    }

    @Test
    void W5_theDebtRefillsAtTheRateInForceAndThenOnlyTheRateIsAsked() {
        ManagedLimiter limiter = limiter(TokenBucket.of(10, SECOND));
        takeAll(limiter);
        limiter.reconfigure(FixedWindow.of(5, SECOND)); // 10 are owed at 5 a second
        Rejection rejection = assertInstanceOf(Rejection.class, limiter.tryAcquire());
        assertEquals(200_000_000, rejection.retryAfterNanos());
        time.advance(rejection.retryAfterNanos());
        assertEquals(1, takeAll(limiter));
        time.advance(Duration.ofSeconds(3));
        assertEquals(5, takeAll(limiter));
    }

    @Test
    void W5_aRateRefillsWhileAConcurrencyLimitIsInForce() {
        ManagedLimiter limiter = limiter(TokenBucket.of(10, Duration.ofHours(1)));
        assertEquals(10, takeAll(limiter));
        limiter.reconfigure(new Semaphore(5));
        time.advance(Duration.ofMinutes(12));
        limiter.reconfigure(SlidingLog.of(10, Duration.ofHours(1)));
        assertEquals(2, takeAll(limiter));
        limiter.reconfigure(new Semaphore(5));
        limiter.reconfigure(TokenBucket.of(10, Duration.ofHours(1)));
        assertEquals(0, takeAll(limiter));
    }

    @Test
    void S11_permitsInFlightCountAcrossARate() {
        ManagedLimiter limiter = limiter(new Semaphore(2));
        List<Permit> held = take(limiter);
        limiter.reconfigure(TokenBucket.of(5, SECOND));
        limiter.reconfigure(new Semaphore(3));
        List<Permit> one = take(limiter);
        assertEquals(1, one.size());
        limiter.reconfigure(TokenBucket.of(5, SECOND));
        limiter.reconfigure(new Partitioned(3, Map.of(), 0));
        assertEquals(0, takeAll(limiter));
        held.forEach(permit -> assertTrue(permit.release(Outcome.SUCCESS)));
        one.forEach(Permit::close);
        Oracle.assertCapacity(3, limiter);
    }

    @Test
    void S11_everyLimitOfSeveralCountsWhatIsInFlight() {
        ManagedLimiter limiter = limiter(AllOf.of(new Semaphore(10)));
        List<Permit> held = take(limiter);
        assertEquals(10, held.size());
        limiter.reconfigure(AllOf.of(new Semaphore(1_000), new Semaphore(12)));
        List<Permit> more = take(limiter);
        assertEquals(2, more.size());
        limiter.reconfigure(AllOf.of(new PriorityShedding(14, List.of()), new Counter(20), new Semaphore(1_000)));
        List<Permit> last = take(limiter);
        assertEquals(2, last.size());
        limiter.reconfigure(new Semaphore(13));
        assertEquals(0, takeAll(limiter));
        held.forEach(Permit::close);
        more.forEach(Permit::close);
        last.forEach(Permit::close);
        Oracle.assertCapacity(13, limiter);
        assertEquals(0, limiter.inFlight());
    }

    @Test
    void S11_aLimitThatWasSetAsideCountsWhatWasGrantedByKeyMeanwhile() {
        ManagedLimiter limiter = limiter(new Semaphore(4));
        Permit first = assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.reconfigure(Keyed.of(new Semaphore(2), 100));
        List<Permit> byKey = new ArrayList<>();
        for (String key : List.of("a", "a", "b")) {
            byKey.add(assertInstanceOf(Permit.class, limiter.tryAcquire(new Request(1, 0, key, 0))));
        }
        limiter.reconfigure(new Semaphore(5));
        List<Permit> one = take(limiter);
        assertEquals(1, one.size());
        limiter.reconfigure(Keyed.of(new Semaphore(2), 100));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(new Request(1, 0, "a", 0)));
        limiter.reconfigure(new Semaphore(6));
        List<Permit> another = take(limiter);
        assertEquals(1, another.size(), "each permit counts once");
        another.forEach(Permit::close);
        byKey.forEach(Permit::close);
        first.close();
        one.forEach(Permit::close);
        limiter.reconfigure(new Semaphore(5));
        Oracle.assertCapacity(5, limiter);
    }

    @Test
    void C1_aMemberThatThrowsLeavesTheOthersAsTheyWere() {
        ManagedLimiter limiter = limiter(AllOf.of(new Semaphore(10), new Counter(20)));
        Adjustable dial = limiter.dial();
        StrategySpec bad = ticker -> {
            throw new IllegalStateException("bad");
        };
        assertThrows(
                IllegalStateException.class,
                () -> limiter.reconfigure(AllOf.of(new Semaphore(3), new Counter(4), bad)));
        assertEquals(10, dial.limit());
        assertFalse(dial.stale());
        Oracle.assertCapacity(10, limiter);
        StrategySpec late = new Adjusting(true);
        limiter.reconfigure(AllOf.of(new Semaphore(10), new Adjusting(false)));
        assertThrows(IllegalStateException.class, () -> limiter.reconfigure(AllOf.of(new Semaphore(3), late)));
        Oracle.assertCapacity(10, limiter);
    }

    private record Adjusting(boolean fails) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            return new Semaphore(50).create(ticker);
        }

        @Override
        public boolean adjust(Strategy running) {
            if (fails) {
                throw new IllegalStateException("too late");
            }
            return true;
        }
    }

    @Test
    void manyMembersAreUndoneAndReleased() {
        List<StrategySpec> members = new ArrayList<>();
        for (int i = 0; i < 63; i++) {
            members.add(new Semaphore(5));
        }
        members.add(TokenBucket.of(3, Duration.ofHours(1)));
        ManagedLimiter limiter = limiter(new AllOf(members));
        List<Permit> held = take(limiter, Request.ONE.refundable());
        assertEquals(3, held.size());
        held.forEach(permit -> permit.release(Outcome.CANCELLED));
        assertEquals(0, limiter.inFlight());
        assertEquals(3, takeAll(limiter));
        members.add(new Semaphore(5));
        assertThrows(IllegalArgumentException.class, () -> new AllOf(members));
        assertThrows(
                IllegalArgumentException.class,
                () -> AllOf.of(new AllOf(members.subList(0, 60)), new AllOf(members.subList(0, 5))));
    }

    @Test
    void aDialIsStaleOnceItsStrategyIsReplaced() {
        ManagedLimiter limiter = limiter(new Semaphore(2));
        Adjustable dial = limiter.dial();
        limiter.reconfigure(new Semaphore(3));
        assertFalse(dial.stale());
        limiter.reconfigure(new Counter(3));
        assertTrue(dial.stale());
        assertFalse(limiter.dial().stale());
    }

    @Test
    void S1_aGrantDuringAChangeIsSeenByItOrTakenBack() {
        for (boolean rate : new boolean[] {true, false}) {
            Paused paused = new Paused(rate);
            ManagedLimiter limiter = limiter(paused);
            paused.after = () -> limiter.reconfigure(rate ? TokenBucket.of(1, SECOND) : new Semaphore(1));
            assertInstanceOf(Permit.class, limiter.tryAcquire(Request.ONE));
            assertInstanceOf(Rejection.class, limiter.tryAcquire(Request.ONE));
            assertEquals(rate ? 0 : 1, limiter.inFlight());
        }
    }

    /** A limit of one, during whose first grant something happens. */
    private static final class Paused implements StrategySpec {
        private final boolean rate;
        Runnable after = () -> {};

        Paused(boolean rate) {
            this.rate = rate;
        }

        @Override
        public Strategy create(Ticker ticker) {
            Strategy inner = rate ? TokenBucket.of(1, SECOND).create(ticker) : new Semaphore(1).create(ticker);
            return new Strategy() {
                @Override
                public long acquire(Request request) {
                    long answer = inner.acquire(request);
                    Runnable once = after;
                    after = () -> {};
                    once.run();
                    return answer;
                }

                @Override
                public void release(Request request, Outcome outcome) {
                    inner.release(request, outcome);
                }

                @Override
                public Traits traits() {
                    return rate ? Traits.RATE : Traits.CONCURRENCY;
                }

                @Override
                public long limit() {
                    return inner.limit();
                }

                @Override
                public void setLimit(long limit) {
                    inner.setLimit(limit);
                }
            };
        }
    }
}
