package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.controller.Crest;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Bounds change while another thread is busy with the same control: the last one has the limit within them. */
public class Attend {
    private Attend() {}

    /** A thread that releases a permit reads the clock. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "within the bounds")
    @State
    public static class A1 {
        private final ManagedLimiter limiter = Limiters.of("l", new Semaphore(1));
        private final AdaptiveControl control = AdaptiveControl.of(limiter, new Crest(), Bounds.of(1, 1));

        /** Changes the bounds. */
        @Actor
        public void owner() {
            control.bounds(Bounds.of(3, 3));
        }

        /** Holds the meter for a moment. */
        @Actor
        public void passerBy() {
            control.tick();
        }

        /** Is the limit within them? */
        @Arbiter
        public void bounded(Z_Result r) {
            r.r1 = limiter.dial().limit() == 3;
        }
    }

    /** Another owner changes them too. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "within the bounds in force")
    @State
    public static class A1Twice {
        private final ManagedLimiter limiter = Limiters.of("l", new Semaphore(1));
        private final AdaptiveControl control = AdaptiveControl.of(limiter, new Crest(), Bounds.of(1, 1));

        /** Changes the bounds. */
        @Actor
        public void owner() {
            control.bounds(Bounds.of(3, 3));
        }

        /** Changes them otherwise. */
        @Actor
        public void another() {
            control.bounds(Bounds.of(5, 5));
        }

        /** Is the limit within those that stayed? */
        @Arbiter
        public void bounded(Z_Result r) {
            r.r1 = limiter.dial().limit() == control.snapshot().bounds().min();
        }
    }

    /** Reads whether it was called before it is free. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "attended to")
    @Outcome(id = "false", expect = ACCEPTABLE_INTERESTING, desc = "called in vain")
    @State
    public static class A1BrokenTwin {
        private final AtomicBoolean busy = new AtomicBoolean();
        private volatile boolean called;
        private volatile boolean attended;

        /** Calls. */
        @Actor
        public void owner() {
            called = true;
            if (busy.compareAndSet(false, true)) {
                attended = true;
                busy.set(false);
            }
        }

        /** Holds it for a moment. */
        @Actor
        public void passerBy() {
            if (busy.compareAndSet(false, true)) {
                if (called) {
                    attended = true;
                }
                busy.set(false);
            }
        }

        /** Was the call heard? */
        @Arbiter
        public void heard(Z_Result r) {
            r.r1 = attended;
        }
    }
}
