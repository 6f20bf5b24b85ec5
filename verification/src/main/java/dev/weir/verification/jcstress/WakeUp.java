package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A waiter registers and asks once more while the last permit is released: it gets it, or it is woken. */
public class WakeUp {
    private WakeUp() {}

    /** The engine. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "admitted, unknown to the releaser")
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "admitted and woken")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "refused, then woken")
    @State
    public static class S3 {
        private final ManagedLimiter limiter = Limiters.of("l", new Semaphore(1));
        private final Permit permit = (Permit) limiter.tryAcquire();
        private volatile boolean woken;

        /** Registers, then asks. */
        @Actor
        public void waiter(ZZ_Result r) {
            limiter.whenCapacity(() -> woken = true);
            r.r1 = limiter.attempt(Request.ONE) instanceof Permit;
        }

        /** Returns the permit. */
        @Actor
        public void releaser() {
            permit.close();
        }

        /** Was it woken? */
        @Arbiter
        public void woken(ZZ_Result r) {
            r.r2 = woken;
        }
    }

    /** Looks for waiters before the capacity is there. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "admitted, unknown to the releaser")
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "admitted and woken")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "refused, then woken")
    @Outcome(id = "false, false", expect = ACCEPTABLE_INTERESTING, desc = "refused and never woken")
    @State
    public static class S3BrokenTwin {
        private final AtomicBoolean free = new AtomicBoolean();
        private volatile boolean waiting;
        private volatile boolean woken;

        /** Registers, then asks. */
        @Actor
        public void waiter(ZZ_Result r) {
            waiting = true;
            r.r1 = free.compareAndSet(true, false);
        }

        /** Returns the permit. */
        @Actor
        public void releaser() {
            boolean wake = waiting;
            free.set(true);
            if (wake) {
                woken = true;
            }
        }

        /** Was it woken? */
        @Arbiter
        public void woken(ZZ_Result r) {
            r.r2 = woken;
        }
    }
}
