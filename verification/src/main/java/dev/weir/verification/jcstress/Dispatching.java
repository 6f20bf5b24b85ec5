package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two come while the last permit is released, and one of the three asks for all: one of the two gets it. */
public class Dispatching {
    private Dispatching() {}

    /** The queue. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "one is in")
    @State
    public static class S3 {
        private final Waits waits = new Waits(1);
        private volatile CompletableFuture<Decision> one = new CompletableFuture<>();
        private volatile CompletableFuture<Decision> other = new CompletableFuture<>();

        /** Enter, one asking while the other is not yet there. */
        @Actor
        public void waiters() {
            one = waits.wait(1, Waits.EVER);
            other = waits.wait(1, Waits.EVER);
        }

        /** Returns the permit. */
        @Actor
        public void releaser() {
            waits.held[0].close();
        }

        /** How many are in? */
        @Arbiter
        public void granted(II_Result r) {
            r.r1 = (Waits.isGranted(one) ? 1 : 0) + (Waits.isGranted(other) ? 1 : 0);
            r.r2 = waits.free();
        }
    }

    /** A broken dispatcher, which does not check for calls that came in meanwhile. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "one is in")
    @Outcome(id = "0, 1", expect = ACCEPTABLE_INTERESTING, desc = "both stranded beside a free permit")
    @State
    public static class S3BrokenTwin {
        private final AtomicInteger free = new AtomicInteger();
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicInteger granted = new AtomicInteger();
        private final AtomicBoolean asking = new AtomicBoolean();

        private void ask() {
            if (asking.compareAndSet(false, true)) {
                while (waiting.get() > 0 && free.compareAndSet(1, 0)) {
                    waiting.decrementAndGet();
                    granted.incrementAndGet();
                }
                asking.set(false);
            }
        }

        /** Enter, one asking while the other is not yet there. */
        @Actor
        public void waiters() {
            waiting.incrementAndGet();
            ask();
            waiting.incrementAndGet();
            ask();
        }

        /** Returns the permit. */
        @Actor
        public void releaser() {
            free.set(1);
            ask();
        }

        /** How many are in? */
        @Arbiter
        public void granted(II_Result r) {
            r.r1 = granted.get();
            r.r2 = free.get();
        }
    }
}
