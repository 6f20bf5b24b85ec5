package dev.weir.verification.lincheck;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.SlidingLog;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Requests to a rate against changes of its algorithm, while time stands still: together they grant one burst. Which of
 * them is refused is not asked: a request that meets a change may cost a permit, and is not granted then.
 */
@Tag("proof")
class RateSwapTest {
    private static final int MAX = 2;
    private static final StrategySpec FIRST = SlidingLog.of(MAX, Duration.ofHours(1));
    private static final StrategySpec NEXT = new LeakyBucket(MAX, Duration.ofHours(1), MAX - 1);

    @Test
    void W5_whatWasGrantedWhileAlgorithmsChangedIsCarried() {
        Proof.holds(Changed.class, Sequential.class);
    }

    @Test
    void W5_brokenTwin_aChangeThatReadsAndThenPublishesForgets() {
        Proof.fails(ReadThenPublish.class, Sequential.class);
    }

    public static final class Changed {
        private final ManagedLimiter limiter =
                Limiters.builder("l", FIRST).ticker(() -> 0).build();
        private final AtomicInteger granted = new AtomicInteger();

        @Operation
        public void acquire() {
            if (limiter.tryAcquire(Request.ONE) instanceof Permit) {
                granted.incrementAndGet();
            }
        }

        @Operation
        public void swap() {
            limiter.reconfigure(NEXT);
        }

        @Validate
        public void oneBurst() {
            check(granted);
        }
    }

    /** A request may still be granted by the old strategy after what it had used was read. */
    public static final class ReadThenPublish {
        private final AtomicInteger granted = new AtomicInteger();
        private volatile PartStrategy inForce = Parts.create(FIRST, () -> 0);

        @Operation
        public void acquire() {
            if (inForce.acquire(Request.ONE) == Strategy.GRANTED) {
                granted.incrementAndGet();
            }
        }

        @Operation
        public synchronized void swap() {
            long used = Objects.requireNonNull(inForce.account()).used();
            inForce = IndebtedRate.of(Parts.create(NEXT, () -> 0), used, () -> 0);
        }

        @Validate
        public void oneBurst() {
            check(granted);
        }
    }

    private static void check(AtomicInteger granted) {
        if (granted.get() > MAX) {
            throw new AssertionError(granted + " granted");
        }
    }

    public static final class Sequential {
        public void acquire() {}

        public void swap() {}
    }
}
