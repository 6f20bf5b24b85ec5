package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What holds after a change and after one that failed half-way. */
class ChangeEdgesTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("edges", spec).ticker(time).build();
    }

    private static int granted(ManagedLimiter limiter, Request request) {
        int granted = 0;
        while (limiter.tryAcquire(request) instanceof Permit permit) {
            permit.close();
            granted++;
        }
        return granted;
    }

    @Test
    void W5_aRefusedRequestTakesNothingFromADebtWhileTimePasses() {
        for (StrategySpec rate : List.of(TokenBucket.of(100, HOUR), Keyed.of(TokenBucket.of(100, HOUR), 9))) {
            StrategySpec before = rate instanceof Keyed keyed
                    ? keyed.withPerKey(FixedWindow.of(100, HOUR))
                    : FixedWindow.of(100, HOUR);
            ManagedLimiter limiter = limiter(AllOf.of(before, new Semaphore(1)));
            Request ann = Request.forKey("ann");
            Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire(ann));
            limiter.reconfigure(AllOf.of(rate, new Semaphore(1)));
            for (int i = 0; i < 200; i++) {
                time.advance(50);
                assertInstanceOf(Rejection.class, limiter.tryAcquire(ann));
            }
            held.close();
            assertEquals(99, granted(limiter, ann), rate::toString);
        }
    }

    @Test
    void R6_aRefundAfterAChangeReturnsWhatHasNotRefilled() {
        ManagedLimiter limiter = limiter(FixedWindow.of(100, HOUR));
        assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.reconfigure(TokenBucket.of(100, HOUR));
        Permit permit =
                assertInstanceOf(Permit.class, limiter.tryAcquire(Request.of(50).refundable()));
        time.advance(1_000);
        permit.release(Outcome.CANCELLED);
        assertEquals(99, granted(limiter, Request.ONE));
    }

    /** A part of which a composition cannot be made. */
    private record Broken(List<StrategySpec> parts) implements PartSpec {
        @Override
        public Strategy create(Ticker ticker) {
            return parts.get(0).create(ticker);
        }

        @Override
        public PartStrategy compose(List<PartStrategy> made, Ticker ticker) {
            throw new IllegalStateException("cannot be composed");
        }
    }

    @Test
    void W2_aChangeThatFailsHalfWayChangesNothing() {
        Keyed perKey = Keyed.of(new Semaphore(5), 9);
        Keyed rate = Keyed.of(TokenBucket.of(5, HOUR), 9);
        Request ann = Request.forKey("ann");
        for (StrategySpec spec : List.of(new Semaphore(5), perKey, rate, AllOf.of(perKey, rate))) {
            for (StrategySpec other : List.of(new Semaphore(3), perKey.withPerKey(new Semaphore(3)), rate, perKey)) {
                ManagedLimiter limiter = limiter(spec);
                Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire(ann));
                long inFlight = limiter.inFlight();
                for (List<StrategySpec> parts : List.of(List.of(other), List.of(other, new Semaphore(7)))) {
                    assertThrows(IllegalStateException.class, () -> limiter.reconfigure(new Broken(parts)));
                    assertEquals(spec, limiter.spec());
                    assertEquals(5, limiter.snapshot().limit());
                    assertEquals(inFlight, limiter.inFlight());
                }
                int more = 0;
                while (limiter.tryAcquire(ann) instanceof Permit) {
                    more++;
                }
                assertEquals(4, more, () -> spec + " to " + other);
                held.close();
            }
        }
    }
}
