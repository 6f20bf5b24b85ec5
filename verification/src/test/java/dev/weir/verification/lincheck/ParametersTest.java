package dev.weir.verification.lincheck;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A bucket at one instant: admission against changes of rate and capacity. */
@Tag("proof")
class ParametersTest {
    @Test
    void W5_aChangeOfParametersNeitherMintsNorLosesATokenThatWasThere() {
        Proof.holds(OfTokenBucket.class, Sequential.class);
    }

    @Test
    void W5_brokenTwin_aPlainWriteOfTheParametersMintsTokens() {
        Proof.fails(OfPlainWrite.class, Sequential.class);
    }

    public static final class OfTokenBucket {
        private final ManagedLimiter limiter =
                Limiters.builder("l", bucket(2)).ticker(new VirtualTime()).build();

        private static StrategySpec bucket(int capacity) {
            return new TokenBucket(
                    7, Duration.ofSeconds(1), capacity, Math.min(capacity, 2), TokenBucket.Refill.GREEDY);
        }

        @Operation
        public String acquire(@Param(gen = IntGen.class, conf = "1:2") int permits) {
            Decision decision = limiter.tryAcquire(permits);
            return decision instanceof Permit ? "in" : "" + ((Rejection) decision).reason();
        }

        @Operation
        public void change(@Param(gen = IntGen.class, conf = "1:3") int capacity) {
            limiter.reconfigure(bucket(capacity));
        }

        @Operation
        public void turn(@Param(gen = IntGen.class, conf = "5:6") int rate) {
            limiter.dial().setLimit(rate);
        }
    }

    /** What was used stays used, whatever the capacity; time stands still, so the rate does not matter. */
    public static final class Sequential {
        private int capacity = 2;
        private int used;

        public String acquire(int permits) {
            if (permits > capacity) {
                return "NEVER";
            }
            if (permits > capacity - used) {
                return "RATE";
            }
            used += permits;
            return "in";
        }

        public void change(int capacity) {
            this.capacity = capacity;
        }

        public void turn(int rate) {}
    }

    /** Carries over what it read, without stopping those who still take from the old line. */
    public static final class OfPlainWrite {
        private record Line(int capacity, AtomicLong tokens) {}

        private volatile Line line = new Line(2, new AtomicLong(2));

        @Operation
        public String acquire(@Param(gen = IntGen.class, conf = "1:2") int permits) {
            Line at = line;
            if (permits > at.capacity) {
                return "NEVER";
            }
            for (; ; ) {
                long tokens = at.tokens.get();
                if (permits > tokens) {
                    return "RATE";
                }
                if (at.tokens.compareAndSet(tokens, tokens - permits)) {
                    return "in";
                }
            }
        }

        @Operation
        public synchronized void change(@Param(gen = IntGen.class, conf = "1:3") int capacity) {
            line = new Line(capacity, new AtomicLong(line.tokens.get() + capacity - line.capacity));
        }

        @Operation
        public void turn(@Param(gen = IntGen.class, conf = "5:6") int rate) {}
    }
}
