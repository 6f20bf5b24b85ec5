package dev.weir.verification.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Permit;
import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of a limit that a dial has set when the specification is changed. */
class DialledLimitTest {
    private static final Semaphore FIVE = new Semaphore(5);
    private static final SlidingLog RATE = SlidingLog.of(10, Duration.ofHours(1));

    private static ManagedLimiter dialled(StrategySpec spec) {
        ManagedLimiter limiter =
                Limiters.builder("l", spec).ticker(new VirtualTime()).build();
        limiter.dial().setLimit(2, "by hand");
        return limiter;
    }

    private static int granted(ManagedLimiter limiter) {
        int granted = 0;
        while (granted < 100 && limiter.tryAcquire() instanceof Permit) {
            granted++;
        }
        return granted;
    }

    @Test
    void anEqualPartKeepsItWhereverItStands() {
        for (List<StrategySpec> change : List.<List<StrategySpec>>of(
                List.of(FIVE, AllOf.of(FIVE)),
                List.of(AllOf.of(FIVE), FIVE),
                List.of(FIVE, AllOf.of(FIVE, new Semaphore(9))),
                List.of(AllOf.of(FIVE, RATE), AllOf.of(FIVE, SlidingLog.of(20, Duration.ofHours(1)))),
                List.of(RATE, AllOf.of(RATE)))) {
            ManagedLimiter limiter = dialled(change.get(0));
            limiter.reconfigure(change.get(1));
            assertEquals(2, limiter.snapshot().limit(), change::toString);
            assertEquals("by hand", limiter.snapshot().limitSetBy(), change::toString);
            assertEquals(2, granted(limiter), change::toString);
        }
    }

    @Test
    void anotherPartOfTheKindPutsItsOwnInForce() {
        ManagedLimiter limiter = dialled(FIVE);
        limiter.reconfigure(AllOf.of(new Semaphore(6), RATE));
        assertEquals(6, limiter.snapshot().limit());
        assertNull(limiter.snapshot().limitSetBy());
    }

    @Test
    void aChangeThatFailsLeavesIt() {
        for (StrategySpec changed : List.of(FIVE, RATE)) {
            StrategySpec larger = changed == FIVE ? new Semaphore(30) : SlidingLog.of(30, Duration.ofHours(1));
            ManagedLimiter limiter = dialled(AllOf.of(changed, new Fragile(true)));
            assertThrows(IllegalStateException.class, () -> limiter.reconfigure(AllOf.of(larger, new Fragile(false))));
            assertEquals(2, limiter.snapshot().limit());
            assertEquals(2, granted(limiter));
        }
    }

    private record Fragile(boolean works) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            if (!works) {
                throw new IllegalStateException("cannot be made");
            }
            return new Semaphore(100).create(ticker);
        }
    }
}
