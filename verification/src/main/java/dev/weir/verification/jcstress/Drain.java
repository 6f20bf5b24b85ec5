package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZII_Result;

/** The last permit is released while the limiter is closed: told once that it has drained, and nothing is out. */
public class Drain {
    private Drain() {}

    /** The engine. */
    @JCStressTest
    @Outcome(id = "true, 1, 0", expect = ACCEPTABLE, desc = "told once")
    @State
    public static class S11S18 {
        private final AtomicInteger told = new AtomicInteger();
        private final ManagedLimiter limiter = Limiters.of("l", new Semaphore(1));
        private final Permit permit;

        /** Watches. */
        public S11S18() {
            limiter.observe(new LimiterObserver() {
                @Override
                public void onDrained() {
                    told.incrementAndGet();
                }
            });
            permit = (Permit) limiter.tryAcquire();
        }

        /** Returns the last. */
        @Actor
        public void release(ZII_Result r) {
            r.r1 = permit.release(dev.weir.Outcome.SUCCESS);
        }

        /** Closes. */
        @Actor
        public void end() {
            limiter.close();
        }

        /** How often was it told, and what is out? */
        @Arbiter
        public void told(ZII_Result r) {
            r.r2 = told.get();
            r.r3 = (int) limiter.snapshot().inFlight();
        }
    }

    /** Counts before it is closed. */
    @JCStressTest
    @Outcome(id = "true, 1, 0", expect = ACCEPTABLE, desc = "told once")
    @Outcome(id = "true, 0, 0", expect = ACCEPTABLE_INTERESTING, desc = "never told")
    @Outcome(id = "true, 2, 0", expect = ACCEPTABLE_INTERESTING, desc = "told twice")
    @State
    public static class S18BrokenTwin {
        private final AtomicInteger told = new AtomicInteger();
        private final AtomicInteger inFlight = new AtomicInteger(1);
        private volatile boolean closed;

        /** Returns the last. */
        @Actor
        public void release(ZII_Result r) {
            r.r1 = true;
            if (inFlight.decrementAndGet() == 0 && closed) {
                told.incrementAndGet();
            }
        }

        /** Closes. */
        @Actor
        public void end() {
            boolean drained = inFlight.get() == 0;
            closed = true;
            if (drained) {
                told.incrementAndGet();
            }
        }

        /** How often was it told, and what is out? */
        @Arbiter
        public void told(ZII_Result r) {
            r.r2 = told.get();
            r.r3 = inFlight.get();
        }
    }
}
