package dev.weir.verification.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.succession.InFlight;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** Of three permits of a counter that was replaced, one is released while its successors are replaced too. */
public class HandOver {
    private HandOver() {}

    /** It is released while the counter itself is replaced; then the last counter has two, and in the end none. */
    @JCStressTest
    @Outcome(id = "2, 2, 0", expect = ACCEPTABLE, desc = "exact")
    @Outcome(expect = FORBIDDEN, desc = "lost or counted twice")
    @State
    public static class S11 {
        private final InFlight granted = acquired(3);
        private final InFlight next = new InFlight(9);

        /** Releases one. */
        @Actor
        public void releaser() {
            granted.release(1);
        }

        /** Replaces it. */
        @Actor
        public void changer() {
            granted.handOver(List.of(next));
        }

        /** What is in flight now, and after the last release? */
        @Arbiter
        public void inFlight(JJJ_Result r) {
            r.r1 = next.inFlight();
            r.r2 = granted.inFlight();
            granted.release(2);
            r.r3 = next.inFlight();
        }
    }

    /** It was replaced, and the counter after it too: the third change leaves that one out, while one is released. */
    @JCStressTest
    @Outcome(id = "2, 2, 0", expect = ACCEPTABLE, desc = "exact")
    @Outcome(expect = FORBIDDEN, desc = "lost or counted twice")
    @State
    public static class S11LeftOut {
        private final Replaced replaced = new Replaced();

        /** Releases one. */
        @Actor
        public void releaser() {
            replaced.granted.release(1);
        }

        /** Replaces the limit of all. */
        @Actor
        public void changer() {
            replaced.ofAll.handOver(List.of(replaced.nextOfAll));
        }

        /** What is in flight now, and after the last release? */
        @Arbiter
        public void inFlight(JJJ_Result r) {
            r.r1 = replaced.nextOfAll.inFlight();
            r.r2 = replaced.ofKey.inFlight();
            replaced.granted.release(2);
            r.r3 = replaced.left();
        }
    }

    /** The same, while the counter of its key is replaced too: both leave out the same one. */
    @JCStressTest
    @Outcome(id = "2, 2, 0", expect = ACCEPTABLE, desc = "exact")
    @Outcome(expect = FORBIDDEN, desc = "lost or counted twice")
    @State
    public static class S11LeftOutByBoth {
        private final Replaced replaced = new Replaced();

        /** Releases one and replaces the limit of its key. */
        @Actor
        public void releaser() {
            replaced.granted.release(1);
            replaced.ofKey.handOver(List.of(replaced.nextOfKey));
        }

        /** Replaces the limit of all. */
        @Actor
        public void changer() {
            replaced.ofAll.handOver(List.of(replaced.nextOfAll));
        }

        /** What is in flight now, and after the last release? */
        @Arbiter
        public void inFlight(JJJ_Result r) {
            r.r1 = replaced.nextOfAll.inFlight();
            r.r2 = replaced.nextOfKey.inFlight();
            replaced.granted.release(2);
            r.r3 = replaced.left();
        }
    }

    /** Two changes have been made; one of all and one of a key may follow. */
    private static final class Replaced {
        final InFlight granted = acquired(3);
        final InFlight between = new InFlight(9);
        final InFlight ofAll = new InFlight(9);
        final InFlight ofKey = new InFlight(9);
        final InFlight nextOfAll = new InFlight(9);
        final InFlight nextOfKey = new InFlight(9);

        Replaced() {
            granted.handOver(List.of(between));
            between.handOver(List.of(ofAll, ofKey));
        }

        long left() {
            return between.inFlight()
                    + ofAll.inFlight()
                    + ofKey.inFlight()
                    + nextOfAll.inFlight()
                    + nextOfKey.inFlight();
        }
    }

    /** Leaves out the one in between without a lock: a release between the two steps is subtracted there twice. */
    @JCStressTest
    @Outcome(id = "2, 2, 0", expect = ACCEPTABLE, desc = "exact")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "lost or counted twice")
    @State
    public static class S11BrokenTwin {
        private final AtomicLong held = new AtomicLong(3);
        private final AtomicLong heldBetween = new AtomicLong(3);
        private final AtomicLong last = new AtomicLong(3);
        private volatile boolean isLeftOut;

        /** Releases one. */
        @Actor
        public void releaser() {
            release(1);
        }

        private void release(long permits) {
            held.addAndGet(-permits);
            if (!isLeftOut) {
                heldBetween.addAndGet(-permits);
            }
            last.addAndGet(-permits);
        }

        /** Takes what is held out of the counter in between, which gets no more releases from now on. */
        @Actor
        public void changer() {
            heldBetween.addAndGet(-held.get());
            isLeftOut = true;
        }

        /** What is in flight now, and after the last release? */
        @Arbiter
        public void inFlight(JJJ_Result r) {
            r.r1 = last.get();
            r.r2 = held.get();
            release(2);
            r.r3 = last.get() + heldBetween.get();
        }
    }

    private static InFlight acquired(long permits) {
        InFlight counter = new InFlight(9);
        counter.acquire(permits, 0);
        return counter;
    }
}
