package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.weir.Decision;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** A wait ends by itself while others go on: no permit is lost, and who follows is let in. */
public class Leave {
    private Leave() {}

    /** Its time is over while the last permit is released. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "granted")
    @Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "timed out, and the permit is free")
    @State
    public static class S2 {
        private final Waits waits = new Waits(1);
        private final CompletableFuture<Decision> answer = waits.wait(1, Duration.ofNanos(10));

        /** Time passes. */
        @Actor
        public void clock() {
            waits.now = 10;
            waits.alarm.run();
        }

        /** Returns the permit. */
        @Actor
        public void releaser() {
            waits.held[0].close();
        }

        /** What became of it, and what is free? */
        @Arbiter
        public void ended(ZI_Result r) {
            r.r1 = Waits.isGranted(answer);
            r.r2 = waits.free();
        }
    }

    /** Its owner cancels it while the last permit is released. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "granted")
    @Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "cancelled, and the permit is free")
    @State
    public static class S6 {
        private final Waits waits = new Waits(1);
        private final CompletableFuture<Decision> answer = waits.wait(1, Waits.EVER);

        /** Cancels. */
        @Actor
        public void owner() {
            answer.cancel(false);
        }

        /** Returns the permit. */
        @Actor
        public void releaser() {
            waits.held[0].close();
        }

        /** What became of it, and what is free? */
        @Arbiter
        public void ended(ZI_Result r) {
            r.r1 = Waits.isGranted(answer);
            r.r2 = waits.free();
        }
    }

    /** A head for whom one permit is not enough comes and goes while that one is released: its follower gets it. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "the follower is in")
    @State
    public static class S3 {
        private final Waits waits = new Waits(2);
        private volatile CompletableFuture<Decision> follower = new CompletableFuture<>();

        /** Comes, lets another come, and goes. */
        @Actor
        public void head() {
            CompletableFuture<Decision> wide = waits.wait(2, Waits.EVER);
            follower = waits.wait(1, Waits.EVER);
            wide.cancel(false);
        }

        /** Returns one permit of two. */
        @Actor
        public void releaser() {
            waits.held[0].close();
        }

        /** Is the follower in? */
        @Arbiter
        public void granted(ZI_Result r) {
            r.r1 = Waits.isGranted(follower);
            r.r2 = waits.free();
        }
    }

    /** Looks whether it waits still, and then grants. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "granted")
    @Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "timed out, and the permit is free")
    @Outcome(id = "false, 0", expect = ACCEPTABLE_INTERESTING, desc = "timed out with a permit that nobody holds")
    @State
    public static class S2BrokenTwin {
        private final AtomicInteger free = new AtomicInteger();
        private volatile boolean ended;
        private volatile boolean granted;

        /** Time passes. */
        @Actor
        public void clock() {
            if (!ended) {
                ended = true;
                granted = false;
            }
        }

        /** Returns the permit. */
        @Actor
        public void releaser() {
            free.set(1);
            if (!ended) {
                free.set(0);
                granted = true;
                ended = true;
            }
        }

        /** What became of it, and what is free? */
        @Arbiter
        public void ended(ZI_Result r) {
            r.r1 = granted;
            r.r2 = free.get();
        }
    }

    /** A head that leaves asks for its followers only if it has seen that it was refused. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "the follower is in")
    @Outcome(id = "false, 1", expect = ACCEPTABLE_INTERESTING, desc = "stranded beside a free permit")
    @State
    public static class S3BrokenTwin {
        private final AtomicInteger free = new AtomicInteger(1);
        private volatile boolean left;
        private volatile boolean refused;
        private volatile boolean granted;

        /** Goes. */
        @Actor
        public void head() {
            left = true;
            if (refused && free.compareAndSet(1, 0)) {
                granted = true;
            }
        }

        /** Asks for the head, and for the follower if there is no head. */
        @Actor
        public void dispatcher() {
            if (!left) {
                refused = true;
            } else if (free.compareAndSet(1, 0)) {
                granted = true;
            }
        }

        /** Is the follower in? */
        @Arbiter
        public void granted(ZI_Result r) {
            r.r1 = granted;
            r.r2 = free.get();
        }
    }
}
