package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.Permit;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** A token is taken from a bucket of two while its capacity is raised to three: two are left. */
public class ChangeOfParameters {
    private ChangeOfParameters() {}

    /** The token bucket. */
    @JCStressTest
    @Outcome(id = "true, 2", expect = ACCEPTABLE, desc = "nothing lost, nothing won")
    @State
    public static class W5 {
        private static final TokenBucket TWO = TokenBucket.of(2, Duration.ofDays(1));
        private static final TokenBucket THREE = TWO.withCapacity(3);
        private final ManagedLimiter limiter =
                Limiters.builder("l", TWO).ticker(() -> 1).build();

        /** Takes one. */
        @Actor
        public void acquire(ZI_Result r) {
            r.r1 = limiter.tryAcquire() instanceof Permit;
        }

        /** Raises. */
        @Actor
        public void change() {
            limiter.reconfigure(THREE);
        }

        /** Counts what is left. */
        @Arbiter
        public void left(ZI_Result r) {
            while (r.r2 < 5 && limiter.tryAcquire() instanceof Permit) {
                r.r2++;
            }
        }
    }

    /** Copies the tokens without stopping those who take from the old line. */
    @JCStressTest
    @Outcome(id = "true, 2", expect = ACCEPTABLE, desc = "nothing lost, nothing won")
    @Outcome(id = "true, 3", expect = ACCEPTABLE_INTERESTING, desc = "the token taken is there again")
    @State
    public static class W5BrokenTwin {
        private volatile AtomicInteger line = new AtomicInteger(2);

        /** Takes one. */
        @Actor
        public void acquire(ZI_Result r) {
            r.r1 = take();
        }

        /** Raises. */
        @Actor
        public void change() {
            line = new AtomicInteger(line.get() + 1);
        }

        /** Counts what is left. */
        @Arbiter
        public void left(ZI_Result r) {
            while (r.r2 < 5 && take()) {
                r.r2++;
            }
        }

        private boolean take() {
            AtomicInteger at = line;
            for (; ; ) {
                int tokens = at.get();
                if (tokens == 0) {
                    return false;
                }
                if (at.compareAndSet(tokens, tokens - 1)) {
                    return true;
                }
            }
        }
    }
}
