package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Two threads return one permit: one return counts, and one permit is free after it. */
public class DoubleRelease {
    private DoubleRelease() {}

    /** The engine. */
    @JCStressTest
    @org.openjdk.jcstress.annotations.Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "the first counted")
    @org.openjdk.jcstress.annotations.Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "the second counted")
    @State
    public static class S13 {
        private final ManagedLimiter limiter = Limiters.of("l", new Semaphore(1));
        private final Permit permit = (Permit) limiter.tryAcquire();

        /** Returns it. */
        @Actor
        public void first(ZZI_Result r) {
            r.r1 = permit.release(Outcome.SUCCESS);
        }

        /** Returns it too. */
        @Actor
        public void second(ZZI_Result r) {
            r.r2 = permit.release(Outcome.SUCCESS);
        }

        /** Counts what is free, from outside. */
        @Arbiter
        public void free(ZZI_Result r) {
            while (r.r3 < 3 && limiter.tryAcquire() instanceof Permit) {
                r.r3++;
            }
        }
    }

    /** Looks whether the permit is home, then takes it home. */
    @JCStressTest
    @org.openjdk.jcstress.annotations.Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "the first counted")
    @org.openjdk.jcstress.annotations.Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "the second counted")
    @org.openjdk.jcstress.annotations.Outcome(
            id = "true, true, 2",
            expect = ACCEPTABLE_INTERESTING,
            desc = "both counted")
    @State
    public static class S13BrokenTwin {
        private final AtomicInteger free = new AtomicInteger();
        private volatile boolean home;

        /** Returns it. */
        @Actor
        public void first(ZZI_Result r) {
            r.r1 = release();
        }

        /** Returns it too. */
        @Actor
        public void second(ZZI_Result r) {
            r.r2 = release();
        }

        /** Counts what is free. */
        @Arbiter
        public void free(ZZI_Result r) {
            r.r3 = free.get();
        }

        private boolean release() {
            if (home) {
                return false;
            }
            home = true;
            free.incrementAndGet();
            return true;
        }
    }
}
