package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** A waiter enters the line while capacity appears: it is granted, and nothing stays free. */
public class Enqueue {
    private Enqueue() {}

    /** The last permit is released. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "granted")
    @State
    public static class S3 {
        private final Waits waits = new Waits(1);
        private volatile CompletableFuture<Decision> answer = new CompletableFuture<>();

        /** Enters. */
        @Actor
        public void waiter() {
            answer = waits.wait(1, Waits.EVER);
        }

        /** Returns the permit. */
        @Actor
        public void releaser() {
            waits.held[0].close();
        }

        /** Is it in? */
        @Arbiter
        public void granted(ZI_Result r) {
            r.r1 = Waits.isGranted(answer);
            r.r2 = waits.free();
        }
    }

    /** The limit is raised. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "granted")
    @State
    public static class S3Raise {
        private final Waits waits = new Waits(1);
        private volatile CompletableFuture<Decision> answer = new CompletableFuture<>();

        /** Enters. */
        @Actor
        public void waiter() {
            answer = waits.wait(1, Waits.EVER);
        }

        /** Raises. */
        @Actor
        public void raiser() {
            waits.limiter.dial().setLimit(2);
        }

        /** Is it in? */
        @Arbiter
        public void granted(ZI_Result r) {
            r.r1 = Waits.isGranted(answer);
            r.r2 = waits.free();
        }
    }

    /** Asks for the last time before it can be seen in the line. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "granted")
    @Outcome(id = "false, 1", expect = ACCEPTABLE_INTERESTING, desc = "stranded beside a free permit")
    @State
    public static class S3BrokenTwin {
        private final AtomicBoolean free = new AtomicBoolean();
        private volatile boolean waiting;
        private volatile boolean granted;

        /** Enters. */
        @Actor
        public void waiter() {
            if (free.compareAndSet(true, false)) {
                granted = true;
            } else {
                waiting = true;
            }
        }

        /** Returns the permit. */
        @Actor
        public void releaser() {
            free.set(true);
            if (waiting && free.compareAndSet(true, false)) {
                granted = true;
            }
        }

        /** Is it in? */
        @Arbiter
        public void granted(ZI_Result r) {
            r.r1 = granted;
            r.r2 = free.get() ? 1 : 0;
        }
    }
}
