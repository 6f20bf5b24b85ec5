package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.Lease;
import dev.weir.Outcome;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** A lease is ended while its permit is granted: the permit is free again, whether its owner was told of it or not. */
public class EndOfLease {
    private EndOfLease() {}

    /** The future of a queue. */
    @JCStressTest
    @org.openjdk.jcstress.annotations.Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "told, then ended")
    @org.openjdk.jcstress.annotations.Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "ended, and never told")
    @State
    public static class S6 {
        private final Waits waits = new Waits(1);
        private final Lease lease = Lease.of(waits.wait(1, Waits.EVER));
        private volatile boolean isTold;

        /** Is told of the decision, which comes later. */
        public S6() {
            lease.whenDecided(decision -> isTold = true, failure -> {});
        }

        /** Ends it. */
        @Actor
        public void owner() {
            lease.end(Outcome.IGNORED);
        }

        /** Returns the permit that it waits for. */
        @Actor
        public void releaser() {
            waits.held[0].close();
        }

        /** What is free? */
        @Arbiter
        public void free(ZI_Result r) {
            r.r1 = isTold;
            r.r2 = waits.free();
        }
    }

    /** Two end it, by its own end and by a cancel: one of them counts. */
    @JCStressTest
    @org.openjdk.jcstress.annotations.Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "the first counted")
    @org.openjdk.jcstress.annotations.Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "the second counted")
    @State
    public static class S13 {
        private final Waits waits = new Waits(1);
        private final Lease lease = Lease.of(waits.wait(1, Waits.EVER));

        /** Has its permit. */
        public S13() {
            lease.whenDecided(decision -> {}, failure -> {});
            waits.held[0].close();
        }

        /** Ends it. */
        @Actor
        public void first(ZZI_Result r) {
            r.r1 = lease.end(Outcome.SUCCESS);
        }

        /** Ends it too. */
        @Actor
        public void second(ZZI_Result r) {
            r.r2 = lease.end(Outcome.IGNORED);
        }

        /** What is free? */
        @Arbiter
        public void free(ZZI_Result r) {
            r.r3 = waits.free();
        }
    }

    /** Looks whether it was ended, then keeps the permit for the one that ends it. */
    @JCStressTest
    @org.openjdk.jcstress.annotations.Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "told, then ended")
    @org.openjdk.jcstress.annotations.Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "ended, and never told")
    @org.openjdk.jcstress.annotations.Outcome(
            id = "true, 0",
            expect = ACCEPTABLE_INTERESTING,
            desc = "ended with a permit that nobody releases")
    @State
    public static class S6BrokenTwin {
        private final AtomicInteger free = new AtomicInteger();
        private volatile boolean isEnded;
        private volatile boolean isTold;

        /** Ends it. */
        @Actor
        public void owner() {
            isEnded = true;
            if (isTold) {
                free.set(1);
            }
        }

        /** Grants the permit. */
        @Actor
        public void limiter() {
            if (isEnded) {
                free.set(1);
            } else {
                isTold = true;
            }
        }

        /** What is free? */
        @Arbiter
        public void free(ZI_Result r) {
            r.r1 = isTold;
            r.r2 = free.get();
        }
    }
}
