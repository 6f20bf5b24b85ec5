package dev.weir.distributed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.distributed.Cluster.Instance;
import dev.weir.distributed.Instances.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Numbers worked by hand: one, two or three instances, one event. The lease is 3 s, so a share ends 2.7 s after a renewal. */
final class ClusterShareTest {
    private final Cluster cluster = new Cluster(10);

    @AfterEach
    void Z1_theSumNeverExceededTheQuota() {
        assertTrue(cluster.highest <= 10, () -> "the sum was " + cluster.highest);
    }

    private List<Long> shares() {
        return cluster.instances.values().stream().map(i -> i.share.share()).toList();
    }

    private Instance joined() {
        boolean isFirst = cluster.instances.isEmpty();
        Instance instance = cluster.join();
        cluster.seconds(isFirst ? 5 : 1);
        return instance;
    }

    @Test
    void Z2_tenForThreeIsFourAndTwiceThree() {
        joined();
        assertEquals(List.of(10L), shares());
        joined();
        assertEquals(List.of(5L, 5L), shares());
        joined();
        assertEquals(List.of(4L, 3L, 3L), shares());
    }

    @Test
    void theLedgerIsText() {
        joined();
        Instance other = joined();
        String[] lines = cluster.server.value("rate").split("\n");
        assertEquals("weir-share 1 epoch 1", lines[0]);
        assertEquals("instance token granted degraded quota weight demand gone", lines[1]);
        assertTrue(lines[2].matches("i0 [0-9a-f]{16} 5 0 10 1 - -"), lines[2]);
        assertTrue(lines[3].matches("i1 [0-9a-f]{16} 5 0 10 1 - -"), lines[3]);
        assertEquals(new Place(1, 2), other.share.place());
    }

    @Test
    void Z1_whatIsLeftByOneTheOthersGet() {
        Instance first = joined();
        joined();
        joined();
        first.leave();
        cluster.seconds(0.5);
        assertEquals(List.of(5L, 5L), shares());
        assertEquals(0, first.share.share());
        assertFalse(cluster.server.value("rate").contains("i0"));
    }

    @Test
    void Z1_theShareOfACrashedInstanceIsFreeWhenItsLeaseHasEnded() {
        Instance first = joined();
        joined();
        first.crash();
        cluster.seconds(2);
        assertEquals(List.of(5L), shares());
        cluster.seconds(2);
        assertEquals(List.of(10L), shares());
    }

    @Test
    void Z3_anInstanceThatIsCutEnforcesItsDegradedShareBeforeOthersGetTheRest() {
        cluster.degraded = 2;
        Instance first = joined();
        Instance second = joined();
        first.cut();
        cluster.seconds(1.5);
        assertEquals(List.of(5L, 5L), shares(), "a disconnection is no end of a lease");
        cluster.seconds(2);
        assertEquals(2, first.share.share());
        assertTrue(first.share.status().isDegraded());
        assertEquals(8, second.share.share());
        first.restore();
        cluster.seconds(1);
        assertEquals(List.of(5L, 5L), shares());
        assertFalse(first.share.status().isDegraded());
    }

    @Test
    void Z3_theDegradedShareIsForgottenAtLast() {
        cluster.degraded = 2;
        Instance first = joined();
        joined();
        first.crash();
        cluster.seconds(40);
        assertEquals(List.of(8L), shares());
        cluster.seconds(60);
        assertEquals(List.of(10L), shares());
    }

    @Test
    void Z6_inATotalOutageEachKeepsItsShareForTheLeaseThenItsDegradedShare() {
        cluster.degraded = 2;
        Instance first = joined();
        Instance second = joined();
        first.cut();
        second.cut();
        cluster.seconds(1.5);
        assertEquals(List.of(5L, 5L), shares());
        cluster.seconds(3_600);
        assertEquals(List.of(2L, 2L), shares());
        first.restore();
        second.restore();
        cluster.seconds(5);
        assertEquals(List.of(5L, 5L), shares());
    }

    @Test
    void Z6_anInstanceThatNeverReachedTheRegistryEnforcesNothing() {
        cluster.degraded = 2;
        Instance first = cluster.join();
        first.cut();
        cluster.seconds(100);
        assertEquals(List.of(0L), shares());
        assertTrue(first.share.status().lastFailure() != null);
    }

    @Test
    void Z3_aProcessThatWasStoppedEnforcesNothingMoreWhenItGoesOn() {
        Instance first = joined();
        Instance second = joined();
        first.pause(20 * Cluster.SECOND);
        cluster.seconds(2.8);
        assertEquals(0, first.share.share(), "by the ticker alone: none of its alarms has rung");
        cluster.seconds(1);
        assertEquals(10, second.share.share());
        cluster.seconds(18);
        assertEquals(List.of(5L, 5L), shares());
    }

    @Test
    void Z3_aProcessThatWasStoppedClaimsNoOldShareInALedgerThatIsNew() {
        Instance first = joined();
        Instance second = joined();
        first.pause(9 * Cluster.SECOND);
        cluster.seconds(1);
        cluster.server.delete("rate");
        cluster.seconds(7.5);
        assertEquals(10, second.share.share());
        cluster.server.delete("rate");
        cluster.seconds(1);
        assertEquals(List.of(0L, 5L), shares());
        cluster.seconds(9);
        assertEquals(List.of(5L, 5L), shares());
    }

    @Test
    void aLostLedgerForgetsWhatItKeptForInstancesThatAreCutOffUntilTheyAreBack() {
        Cluster lost = new Cluster(10);
        lost.degraded = 2;
        Instance first = lost.join();
        lost.seconds(5);
        Instance second = lost.join();
        lost.seconds(1);
        first.cut();
        lost.seconds(4);
        assertEquals(List.of(2L, 8L), List.of(first.share.share(), second.share.share()));
        lost.lose("");
        lost.seconds(6);
        assertEquals(List.of(2L, 10L), List.of(first.share.share(), second.share.share()));
        first.restore();
        lost.seconds(1);
        assertEquals(List.of(5L, 5L), List.of(first.share.share(), second.share.share()));
        assertEquals(12, lost.highest);
        assertEquals(0, lost.excess, "the quota and the degraded share of one");
    }

    @Test
    void aReplyThatWasLostIsNotBelievedEitherWay() {
        Instance first = joined();
        Instance second = joined();
        cluster.server.loseReplies("i0", 3);
        second.leave();
        cluster.seconds(5);
        assertEquals(10, first.share.share());
        assertTrue(first.share.status().failures() >= 1);
    }

    @Test
    void Z4_aSmallerQuotaIsInForceAsSoonAsOneKnowsItALargerOneWhenAllDo() {
        Instance first = joined();
        Instance second = joined();
        first.share.setQuota(6);
        cluster.seconds(1);
        assertEquals(List.of(3L, 3L), shares());
        assertEquals(
                List.of("another instance has the quota 6, here it is 10"),
                second.share.status().problems());
        first.share.setQuota(8);
        second.share.setQuota(8);
        cluster.seconds(1);
        assertEquals(List.of(4L, 4L), shares());
        first.share.setQuota(10);
        cluster.seconds(1);
        assertEquals(List.of(4L, 4L), shares());
    }

    @Test
    void Z2_ifTheQuotaIsSmallerThanTheNumberOfInstancesTheSharesOfZeroGoRound() {
        for (int i = 0; i < 25; i++) {
            cluster.join();
        }
        cluster.seconds(10);
        long[] seconds = new long[25];
        for (int second = 0; second < 300; second++) {
            List<Long> shares = shares();
            for (int i = 0; i < 25; i++) {
                seconds[i] += shares.get(i);
            }
            cluster.seconds(1);
        }
        List<Long> starved = new ArrayList<>();
        for (long had : seconds) {
            if (had < 60) {
                starved.add(had);
            }
        }
        assertEquals(List.of(), starved, "of 120 s that an even share would be");
    }

    @Test
    void Z5_junkInTheLedgerIsReportedAndReplaced() {
        Instance first = joined();
        joined();
        String text = cluster.server.value("rate");
        cluster.server.overwrite("rate", text + "i7 one two\ni9 00000000000000ff -5 x 10 -3 - -\n");
        cluster.seconds(3);
        assertEquals(List.of(5L, 5L), shares());
        String healed = cluster.server.value("rate");
        assertFalse(healed.contains("i7") || healed.contains("i9"), healed);
        assertTrue(first.share.status().problems().isEmpty());
    }

    @Test
    void Z1_aLedgerThatIsLostIsWrittenAgainFromWhatEachHasAndNobodyGrowsForALease() {
        Instance first = joined();
        joined();
        for (String junk : List.of("hello", "weir-share 2 epoch 7\n", "\0")) {
            cluster.server.overwrite("rate", junk);
            cluster.seconds(1);
            assertEquals(List.of(5L, 5L), shares());
            Instance third = joined();
            assertEquals(List.of(4L, 3L, 0L), shares());
            cluster.seconds(4);
            assertEquals(List.of(4L, 3L, 3L), shares());
            third.leave();
            cluster.seconds(1);
        }
        cluster.server.delete("rate");
        first.leave();
        cluster.seconds(2);
        assertEquals(List.of(5L), shares());
        cluster.seconds(4);
        assertEquals(List.of(10L), shares());
    }

    @Test
    void Z5_aRowOfALiveInstanceThatClaimsTheWholeQuotaLetsNobodyHaveMore() {
        joined();
        joined();
        String text = cluster.server.value("rate");
        cluster.server.overwrite("rate", text.replaceFirst("(i1 [0-9a-f]{16}) 5", "$1 999999"));
        cluster.seconds(3);
        assertEquals(List.of(5L, 5L), shares());
    }

    @Test
    void Z5_aSecondInstanceWithTheSameIdIsReportedAndItsRowIsRemovedOnceItIsDead() {
        Instance first = joined();
        String twin = cluster.server.value("rate").replaceFirst("(?s).*(i0 )[0-9a-f]{16}", "$100000000000000ff");
        cluster.server.overwrite("rate", cluster.server.value("rate") + twin);
        cluster.seconds(2);
        assertEquals(
                List.of("another instance has the id i0"), first.share.status().problems());
        cluster.seconds(60);
        assertEquals(List.of(10L), shares());
        assertEquals(List.of(), first.share.status().problems());
    }

    @Test
    void Z5_twoLiveSharesWithOneIdHaveARowEachAndDoNotWriteWithoutEnd() {
        Instance first = joined();
        ClusterShare twin = ClusterShare.builder("rate", first.registry, 10)
                .degraded(0)
                .time(cluster.time, cluster.time)
                .executor(task -> cluster.time.ring(1, task))
                .telling(share -> {});
        cluster.seconds(60);
        assertEquals(5, twin.share());
        assertEquals(List.of(5L), shares());
        long before = twin.status().rounds();
        cluster.seconds(60);
        assertTrue(twin.status().rounds() - before < 90, () -> twin.status().rounds() - before + " rounds in 60 s");
        twin.close();
        cluster.seconds(1);
        assertEquals(List.of(10L), shares());
    }

    @Test
    void Z4_atMostOneRoundInATenthOfASecond() {
        Instance first = joined();
        joined();
        long before = first.share.status().rounds();
        for (int i = 0; i < 10_000; i++) {
            cluster.server.overwrite("rate", cluster.server.value("rate"));
            cluster.time.advance(Cluster.MILLI);
        }
        long rounds = first.share.status().rounds() - before;
        assertTrue(rounds > 50 && rounds <= 101, () -> rounds + " rounds in 10 s");
    }

    @Test
    void nothingIsPolledWhileNothingChanges() {
        Instance first = joined();
        joined();
        cluster.seconds(5);
        long before = first.share.status().rounds();
        cluster.seconds(100);
        long rounds = first.share.status().rounds() - before;
        assertTrue(rounds <= 101, () -> rounds + " rounds in 100 s, with a renewal a second");
    }

    @Test
    void weightsAreObeyed() {
        cluster.division = Division.weighted(4);
        joined();
        cluster.division = Division.weighted(1);
        joined();
        assertEquals(List.of(8L, 2L), shares());
    }

    @Test
    void unusedShareIsLentAndCalledBack() {
        AtomicLong busy = new AtomicLong(50);
        AtomicLong idle = new AtomicLong();
        cluster.division = Division.byDemand(busy::get);
        joined();
        cluster.division = Division.byDemand(idle::get);
        joined();
        assertEquals(List.of(9L, 1L), shares());
        idle.set(3);
        cluster.seconds(2);
        assertEquals(List.of(7L, 3L), shares());
        idle.set(30);
        cluster.seconds(2);
        assertEquals(List.of(5L, 5L), shares());
        busy.set(0);
        cluster.seconds(2);
        assertEquals(List.of(1L, 9L), shares());
    }

    @Test
    void aDemandThatThrowsStaysAsItWas() {
        AtomicLong demand = new AtomicLong(8);
        cluster.division = Division.byDemand(() -> {
            if (demand.get() < 0) {
                throw new IllegalStateException("on purpose");
            }
            return demand.get();
        });
        Instance first = joined();
        cluster.division = Division.equal();
        joined();
        demand.set(-1);
        cluster.seconds(10);
        assertEquals(List.of(5L, 5L), shares());
        assertEquals(
                List.of("the demand was not told: java.lang.IllegalStateException: on purpose"),
                first.share.status().problems());
    }

    @Test
    void aFunctionThatThrowsIsCalledAgainAndTheOthersAreLeftInPeace() {
        Instance first = joined();
        AtomicLong calls = new AtomicLong();
        ClusterShare failing = ClusterShare.builder("rate", cluster.server.open("x", Cluster.LEASE), 10)
                .degraded(0)
                .time(cluster.time, cluster.time)
                .executor(task -> cluster.time.ring(1, task))
                .telling(share -> {
                    calls.getAndIncrement();
                    if (share > 0) {
                        throw new IllegalStateException("on purpose");
                    }
                });
        cluster.seconds(5);
        assertEquals(0, failing.share());
        assertTrue(failing.status().lastFailure() instanceof IllegalStateException);
        long before = first.share.status().rounds();
        cluster.seconds(10);
        assertTrue(first.share.status().rounds() - before <= 11);
        assertTrue(calls.get() >= 10);
        failing.close();
        cluster.seconds(1);
        assertEquals(List.of(10L), shares());
    }

    private ClusterShare.Builder builder(ClusterRegistry registry) {
        return ClusterShare.builder("rate", registry, 10)
                .degraded(0)
                .time(cluster.time, cluster.time)
                .executor(task -> cluster.time.ring(1, task));
    }

    @Test
    void Z1_aShareThatIsClosedWhileItIsToldOneKeepsItsRowUntilItIsToldZero() {
        List<Long> told = new ArrayList<>();
        List<Boolean> hadRow = new ArrayList<>();
        AtomicReference<ClusterShare> share = new AtomicReference<>();
        share.set(builder(cluster.server.open("x", Cluster.LEASE)).telling(n -> {
            told.add(n);
            if (n > 0) {
                share.get().close();
                hadRow.add(cluster.server.value("rate").contains("x "));
            }
        }));
        cluster.seconds(10);
        assertEquals(List.of(0L, 10L, 0L), told);
        assertEquals(List.of(true), hadRow, "it enforces 10 until the function has returned");
        assertFalse(cluster.server.value("rate").contains("x "));
    }

    @Test
    void aShareThatIsClosedWhileItsFirstRowIsWrittenLeavesNoRow() {
        ClusterRegistry registry = cluster.server.open("x", Cluster.LEASE);
        ClusterShare share = builder(registry).telling(n -> {});
        AtomicLong commands = new AtomicLong();
        cluster.server.onTheWay(id -> {
            if (commands.incrementAndGet() == 5) { // the replacement, on its way there
                share.close();
            }
        });
        cluster.seconds(1);
        assertTrue(commands.get() > 5);
        assertFalse(cluster.server.value("rate").contains("x "), cluster.server.value("rate"));
    }

    @Test
    void aShareGoesOnAfterNoThreadCouldBeStarted() {
        AtomicLong refusals = new AtomicLong();
        ClusterShare share = builder(cluster.server.open("x", Cluster.LEASE))
                .executor(task -> {
                    if (refusals.get() > 0) {
                        refusals.getAndDecrement();
                        throw new Error("no thread can be started, on purpose");
                    }
                    cluster.time.ring(1, task);
                })
                .telling(n -> {});
        cluster.seconds(5);
        assertEquals(10, share.share());
        refusals.set(60);
        cluster.seconds(4);
        assertEquals(0, share.share());
        cluster.seconds(10);
        assertEquals(10, share.share());
    }
}
