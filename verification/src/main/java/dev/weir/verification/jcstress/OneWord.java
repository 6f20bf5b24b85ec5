package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZII_Result;

/**
 * One of two permits is out; it is released and another is acquired, while the limit is raised to three: then two are free.
 */
public class OneWord {
    private OneWord() {}

    /** The semaphore. */
    @JCStressTest
    @Outcome(id = "true, 2, 3", expect = ACCEPTABLE, desc = "nothing lost")
    @State
    public static class S1S2S9 {
        private final ManagedLimiter limiter = Limiters.of("l", new Semaphore(2));
        private final Permit permit = (Permit) limiter.tryAcquire();

        /** Returns one, takes one. */
        @Actor
        public void releaseAndAcquire(ZII_Result r) {
            permit.close();
            r.r1 = limiter.tryAcquire() instanceof Permit;
        }

        /** Raises. */
        @Actor
        public void raise() {
            limiter.dial().setLimit(3);
        }

        /** Counts what is free, from outside. */
        @Arbiter
        public void free(ZII_Result r) {
            while (r.r2 < 5 && limiter.tryAcquire() instanceof Permit) {
                r.r2++;
            }
            r.r3 = (int) limiter.snapshot().limit();
        }
    }

    /** Writes the limit over whatever was counted since it was read. */
    @JCStressTest
    @Outcome(id = "true, 2, 3", expect = ACCEPTABLE, desc = "nothing lost")
    @Outcome(id = "true, 1, 3", expect = ACCEPTABLE_INTERESTING, desc = "a release lost")
    @Outcome(id = "true, 3, 3", expect = ACCEPTABLE_INTERESTING, desc = "an acquisition lost")
    @State
    public static class S2BrokenTwin {
        private static final long COUNT = 0xFFFF_FFFFL;
        private final AtomicLong word = new AtomicLong(2L << 32 | 1);

        /** Returns one, takes one. */
        @Actor
        public void releaseAndAcquire(ZII_Result r) {
            word.decrementAndGet();
            r.r1 = acquire();
        }

        /** Raises. */
        @Actor
        public void raise() {
            word.set((3L << 32) | (word.get() & COUNT));
        }

        /** Counts what is free. */
        @Arbiter
        public void free(ZII_Result r) {
            while (r.r2 < 5 && acquire()) {
                r.r2++;
            }
            r.r3 = (int) (word.get() >> 32);
        }

        private boolean acquire() {
            for (; ; ) {
                long w = word.get();
                if ((w & COUNT) >= w >> 32) {
                    return false;
                }
                if (word.compareAndSet(w, w + 1)) {
                    return true;
                }
            }
        }
    }
}
