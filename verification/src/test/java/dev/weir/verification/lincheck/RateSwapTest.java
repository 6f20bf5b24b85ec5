package dev.weir.verification.lincheck;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Succession;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests to a rate against changes of its algorithm, while time stands still. */
@Tag("proof")
class RateSwapTest {
    private static final Duration PERIOD = Duration.ofHours(1);

    @Test
    void W5_whatWasGrantedWhileAlgorithmsChangedIsCarried() {
        Proof.holds(Engine.class, Sequential.class);
    }

    @Test
    void W5_brokenTwin_aChangeThatReadsAndThenPublishesForgets() {
        Proof.fails(ReadThenPublish.class, Sequential.class);
    }

    /* So many permits at one instant, by three algorithms. */
    static StrategySpec spec(int limit) {
        return switch (limit) {
            case 1 -> SlidingLog.of(1, PERIOD);
            case 2 -> new LeakyBucket(2, PERIOD, 1);
            default -> TokenBucket.of(limit, PERIOD);
        };
    }

    public static final class Engine {
        private final ManagedLimiter limiter =
                Limiters.builder("l", spec(3)).ticker(() -> 0).build();

        @Operation
        public boolean acquire() {
            return limiter.tryAcquire(Request.ONE) instanceof Permit;
        }

        @Operation
        public void swap(@Param(gen = IntGen.class, conf = "1:3") int limit) {
            limiter.reconfigure(spec(limit));
        }
    }

    /** A request may still be granted by the old strategy after what it had used was read. */
    public static final class ReadThenPublish {
        private volatile Strategy inForce = spec(3).create(() -> 0);

        @Operation
        public boolean acquire() {
            return inForce.acquire(Request.ONE) == Strategy.GRANTED;
        }

        @Operation
        public synchronized void swap(@Param(gen = IntGen.class, conf = "1:3") int limit) {
            long used = inForce.used();
            inForce = Succession.indebted(spec(limit).create(() -> 0), used, () -> 0);
        }
    }

    public static final class Sequential {
        private int limit = 3;
        private int used;

        public boolean acquire() {
            if (used >= limit) {
                return false;
            }
            used++;
            return true;
        }

        public void swap(int changed) {
            limit = changed;
        }
    }
}
