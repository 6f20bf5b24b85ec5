package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A grant that is undone, because another limit refused or the work never began, takes nothing from other requests. */
class UndoTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Request REGULAR = Request.forKey("regular");
    private static final Request ABUSER = Request.forKey("abuser");

    private static List<StrategySpec> hundredAMinute() {
        return List.of(
                SlidingLog.of(100, MINUTE),
                SlidingWindow.of(100, MINUTE),
                FixedWindow.of(100, MINUTE),
                new FirstHitQuota(100, MINUTE));
    }

    /** Refuses one caller. */
    private static final class AllButOne implements Strategy {
        @Override
        public long acquire(Request request) {
            return "abuser".equals(request.key()) ? 1_000_000 : GRANTED;
        }

        @Override
        public Traits traits() {
            return Traits.RATE;
        }

        @Override
        public long limit() {
            return 1;
        }

        @Override
        public void setLimit(long limit) {}
    }

    /** 75 per minute by other callers, beside one that is refused 5 or 100 times per second. */
    @Test
    void R6_aRejectionByOneMemberTakesNothingFromOtherMembers() {
        for (StrategySpec spec : hundredAMinute()) {
            for (int perSecond : new int[] {5, 100}) {
                VirtualTime time = new VirtualTime();
                ManagedLimiter limiter = limiter(AllOf.of(spec, ticker -> new AllButOne()), time);
                int refused = 0;
                for (int i = 0; i < 20 * 60 * perSecond; i++) {
                    assertInstanceOf(Rejection.class, limiter.tryAcquire(ABUSER));
                    if (i % (perSecond * 4 / 5) == 0) {
                        refused += limiter.tryAcquire(REGULAR) instanceof Permit ? 0 : 1;
                    }
                    time.advance(1_000_000_000L / perSecond);
                }
                assertEquals(0, refused, spec + " beside " + perSecond + " a second");
            }
        }
    }

    /** The same if five per second are granted, and cancelled a second later. */
    @Test
    void R6_aCancelledRequestTakesNothingFromOthers() {
        for (StrategySpec spec : hundredAMinute()) {
            VirtualTime time = new VirtualTime();
            ManagedLimiter limiter = limiter(spec, time);
            Deque<Permit> out = new ArrayDeque<>();
            int refused = 0;
            for (int i = 0; i < 20 * 60 * 5; i++) {
                if (limiter.attempt(ABUSER.refundable()) instanceof Permit permit) {
                    out.add(permit);
                }
                if (i % 4 == 0) {
                    refused += limiter.tryAcquire(REGULAR) instanceof Permit ? 0 : 1;
                }
                time.advance(Duration.ofMillis(200));
                if (out.size() >= 5) {
                    out.remove().release(Outcome.CANCELLED);
                }
            }
            assertEquals(0, refused, () -> "" + spec);
        }
    }

    /** With a clock that advances at each reading, the window opens later than the request was made. */
    @Test
    void R6_aRequestThatAnotherLimitRefusesOpensNoQuota() {
        AtomicLong clock = new AtomicLong();
        ManagedLimiter limiter =
                limiter(AllOf.of(new FirstHitQuota(1, MINUTE), ticker -> new AllButOne()), clock::incrementAndGet);
        for (int i = 0; i < 10; i++) {
            Rejection rejection = assertInstanceOf(Rejection.class, limiter.tryAcquire(ABUSER));
            assertEquals(1_000_000, rejection.retryAfterNanos(), "not that of the quota");
        }
        assertInstanceOf(Permit.class, limiter.tryAcquire(REGULAR));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(REGULAR));
    }

    /** 3 of 3 per second used: of 3 in 9 s one refills every 3 s, and a refused request before that opens no window. */
    @Test
    void R6_aRequestThatADebtRefusesOpensNoQuota() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(TokenBucket.of(3, Duration.ofSeconds(1)), time);
        assertInstanceOf(Permit.class, limiter.tryAcquire(3));
        limiter.reconfigure(new FirstHitQuota(3, Duration.ofSeconds(9)));
        for (int second = 0; second < 10; second++) {
            boolean due = second > 0 && second % 3 == 0;
            assertEquals(due, limiter.tryAcquire() instanceof Permit, "at second " + second);
            assertInstanceOf(Rejection.class, limiter.tryAcquire());
            time.advance(Duration.ofSeconds(1));
        }
    }

    /**
     * 14 of 14 per second used, then 10 per second: at 333 ms 3.3 have refilled, at 683 ms 5.8 without the one taken. 4 more
     * are granted. At 9 per second 14 - 6.8 + 1 + 4 = 12.2 are used; without the 4, 8.2 of 9, so that nothing is free.
     */
    @Test
    void R6_whatWasGrantedBeforeALimitWasLoweredIsNotRefundedToADebt() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(TokenBucket.of(14, Duration.ofSeconds(1)), time);
        assertInstanceOf(Permit.class, limiter.tryAcquire(14));
        limiter.reconfigure(TokenBucket.of(8, Duration.ofSeconds(1)));
        limiter.reconfigure(TokenBucket.of(10, Duration.ofSeconds(1)));
        time.advance(Duration.ofMillis(333));
        assertInstanceOf(Permit.class, limiter.tryAcquire());
        time.advance(Duration.ofMillis(350));
        Permit cancelled =
                assertInstanceOf(Permit.class, limiter.attempt(Request.of(4).refundable()));
        limiter.dial().setLimit(9);
        cancelled.release(Outcome.CANCELLED);
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
    }

    @Test
    void R6_theOnlyUseOfAQuotaCanBeCancelled() {
        AtomicLong clock = new AtomicLong();
        ManagedLimiter limiter = limiter(new FirstHitQuota(1, MINUTE), clock::incrementAndGet);
        for (int i = 0; i < 10; i++) {
            assertInstanceOf(Permit.class, limiter.attempt(Request.ONE.refundable()))
                    .release(Outcome.CANCELLED);
        }
        assertInstanceOf(Permit.class, limiter.attempt(Request.ONE));
        assertInstanceOf(Rejection.class, limiter.attempt(Request.ONE));
    }

    private static ManagedLimiter limiter(StrategySpec spec, Ticker ticker) {
        return Limiters.builder("undone", spec).ticker(ticker).build();
    }
}
