package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.Permit;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Two racers at a bucket that holds one token: exactly one is in. */
public class OneToken {
    private static final StrategySpec BUCKET = TokenBucket.of(1, Duration.ofDays(1));

    private OneToken() {}

    /** The token bucket. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "the first")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "the second")
    @State
    public static class R8 {
        private final ManagedLimiter limiter =
                Limiters.builder("l", BUCKET).ticker(() -> 1).build();

        /** Asks. */
        @Actor
        public void first(ZZ_Result r) {
            r.r1 = limiter.tryAcquire() instanceof Permit;
        }

        /** Asks too. */
        @Actor
        public void second(ZZ_Result r) {
            r.r2 = limiter.tryAcquire() instanceof Permit;
        }
    }

    /** Compares, then sets. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "the first")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "the second")
    @Outcome(id = "true, true", expect = ACCEPTABLE_INTERESTING, desc = "both")
    @State
    public static class R8BrokenTwin {
        private volatile long lastPassed = -1;

        /** Asks. */
        @Actor
        public void first(ZZ_Result r) {
            r.r1 = pass();
        }

        /** Asks too. */
        @Actor
        public void second(ZZ_Result r) {
            r.r2 = pass();
        }

        private boolean pass() {
            if (lastPassed >= 0) {
                return false;
            }
            lastPassed = 1;
            return true;
        }
    }
}
