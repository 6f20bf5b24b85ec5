package dev.weir.verification.lincheck;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The wait queue: who comes, who goes and what lets them in, two at a time. */
@Tag("proof")
class QueueTest {
    @Test
    void S2_S3_S6_nobodyIsStrandedWhoeverComesGoesOrReturns() {
        Proof.holds(OfQueue.class, Anything.class);
    }

    @Test
    void S3_S7_aWideHeadThatLeavesLetsItsFollowersIn() {
        Proof.holds(OfWide.class, Anything.class);
    }

    @Test
    void S2_S4_timeOutsAndGrantsShareNoWaiter() {
        Proof.holds(OfDeadlines.class, Anything.class);
    }

    @Test
    void S3_noTenantIsLeftOutWhosePermitWasReleased() {
        Proof.holds(QueuedTenants.class, QueuedTenants.Anything.class);
    }

    @Test
    void S3_brokenTwin_askingBeforeOneIsSeenStrands() {
        Proof.fails(LineTwins.AsksFirst.class, LineTwins.Anything.class);
    }

    @Test
    void S3_brokenTwin_aDispatcherThatDoesNotAskAgainStrands() {
        Proof.fails(LineTwins.LooksOnce.class, LineTwins.Anything.class);
    }

    @Test
    void S2_brokenTwin_anEndWithoutACompareLosesThePermit() {
        Proof.fails(LineTwins.PlainEnd.class, LineTwins.Anything.class);
    }

    @Test
    void S3_brokenTwin_aHeadThatLeavesWithoutAskingStrands() {
        Proof.fails(LineTwins.LeavesSilently.class, LineTwins.Anything.class);
    }

    public static final class OfQueue extends Queued {
        public OfQueue() {
            super(1);
        }

        @Operation
        public void enter(@Param(gen = ThreadIdGen.class) int thread) {
            enter(thread, 1, 0);
        }

        @Operation
        public void cancel(@Param(gen = ThreadIdGen.class) int thread) {
            cancelLast(thread);
        }

        @Operation
        public void release(@Param(gen = ThreadIdGen.class) int thread) {
            releaseOne(thread);
        }

        @Operation
        public void setLimit(@Param(gen = IntGen.class, conf = "1:3") int limit) {
            limiter.dial().setLimit(limit);
        }

        @Validate
        public void line() {
            checkLine();
        }
    }

    public static final class OfWide extends Queued {
        public OfWide() {
            super(2);
        }

        @Operation
        public void enter(@Param(gen = ThreadIdGen.class) int thread) {
            enter(thread, 1, 0);
        }

        @Operation
        public void comeAndGo(@Param(gen = ThreadIdGen.class) int thread) {
            enter(thread, 2, 0);
            cancelLast(thread);
        }

        @Operation
        public void release(@Param(gen = ThreadIdGen.class) int thread) {
            releaseOne(thread);
        }

        @Validate
        public void line() {
            checkLine();
        }
    }

    public static final class OfDeadlines extends Queued {
        public OfDeadlines() {
            super(1);
        }

        @Operation
        public void enter(@Param(gen = ThreadIdGen.class) int thread) {
            enter(thread, 1, 10);
        }

        @Operation
        public void timePasses(@Param(gen = IntGen.class, conf = "10:10") int nanos) {
            pass(nanos);
        }

        @Operation
        public void release(@Param(gen = ThreadIdGen.class) int thread) {
            releaseOne(thread);
        }

        @Validate
        public void line() {
            checkLine();
        }
    }

    /** A specification that allows every history: the check at the end decides. */
    public static final class Anything {
        public void enter(int thread) {}

        public void comeAndGo(int thread) {}

        public void cancel(int thread) {}

        public void release(int thread) {}

        public void setLimit(int limit) {}

        public void timePasses(int nanos) {}
    }
}
