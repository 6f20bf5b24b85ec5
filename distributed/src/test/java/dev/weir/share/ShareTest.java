package dev.weir.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.share.Instances.Place;
import dev.weir.share.Members.Instance;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Numbers worked by hand: one, two or three instances, one event. The lease is 3 s, so a share ends 2.7 s after a renewal. */
final class ShareTest {
    private final Members members = new Members(10);

    @AfterEach
    void Z1_theSumNeverExceededTheQuota() {
        assertTrue(members.highest <= 10, () -> "the sum was " + members.highest);
    }

    private List<Long> shares() {
        return members.instances.values().stream().map(i -> i.share.share()).toList();
    }

    private Instance joined() {
        boolean isFirst = members.instances.isEmpty();
        Instance instance = members.join();
        members.seconds(isFirst ? 5 : 1);
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
        String[] lines = members.server.value("rate").split("\n");
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
        members.seconds(0.5);
        assertEquals(List.of(5L, 5L), shares());
        assertEquals(0, first.share.share());
        assertFalse(members.server.value("rate").contains("i0"));
    }

    @Test
    void Z1_theShareOfACrashedInstanceIsFreeWhenItsLeaseHasEnded() {
        Instance first = joined();
        joined();
        first.crash();
        members.seconds(2);
        assertEquals(List.of(5L), shares());
        members.seconds(2);
        assertEquals(List.of(10L), shares());
    }

    @Test
    void Z3_anInstanceThatIsCutEnforcesItsDegradedShareBeforeOthersGetTheRest() {
        members.degraded = 2;
        Instance first = joined();
        Instance second = joined();
        first.cut();
        members.seconds(1.5);
        assertEquals(List.of(5L, 5L), shares(), "a disconnection is no end of a lease");
        members.seconds(2);
        assertEquals(2, first.share.share());
        assertTrue(first.share.status().isDegraded());
        assertEquals(8, second.share.share());
        first.restore();
        members.seconds(1);
        assertEquals(List.of(5L, 5L), shares());
        assertFalse(first.share.status().isDegraded());
    }

    @Test
    void Z3_theDegradedShareIsForgottenAtLast() {
        members.degraded = 2;
        Instance first = joined();
        joined();
        first.crash();
        members.seconds(40);
        assertEquals(List.of(8L), shares());
        members.seconds(60);
        assertEquals(List.of(10L), shares());
    }

    @Test
    void Z6_inATotalOutageEachKeepsItsShareForTheLeaseThenItsDegradedShare() {
        members.degraded = 2;
        Instance first = joined();
        Instance second = joined();
        first.cut();
        second.cut();
        members.seconds(1.5);
        assertEquals(List.of(5L, 5L), shares());
        members.seconds(3_600);
        assertEquals(List.of(2L, 2L), shares());
        first.restore();
        second.restore();
        members.seconds(5);
        assertEquals(List.of(5L, 5L), shares());
    }

    @Test
    void Z6_anInstanceThatNeverReachedTheRegistryEnforcesNothing() {
        members.degraded = 2;
        Instance first = members.join();
        first.cut();
        members.seconds(100);
        assertEquals(List.of(0L), shares());
        assertTrue(first.share.status().lastFailure() != null);
    }

    @Test
    void Z3_aProcessThatWasStoppedEnforcesNothingMoreWhenItGoesOn() {
        Instance first = joined();
        Instance second = joined();
        first.pause(20 * Members.SECOND);
        members.seconds(2.8);
        assertEquals(0, first.share.share(), "by the ticker alone: none of its alarms has rung");
        members.seconds(1);
        assertEquals(10, second.share.share());
        members.seconds(18);
        assertEquals(List.of(5L, 5L), shares());
    }

    @Test
    void Z3_aProcessThatWasStoppedClaimsNoOldShareInALedgerThatIsNew() {
        Instance first = joined();
        Instance second = joined();
        first.pause(9 * Members.SECOND);
        members.seconds(1);
        members.server.delete("rate");
        members.seconds(7.5);
        assertEquals(10, second.share.share());
        members.server.delete("rate");
        members.seconds(1);
        assertEquals(List.of(0L, 5L), shares());
        members.seconds(9);
        assertEquals(List.of(5L, 5L), shares());
    }

    @Test
    void aLostLedgerForgetsWhatItKeptForInstancesThatAreCutOffUntilTheyAreBack() {
        Members lost = new Members(10);
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
        members.server.loseReplies("i0", 3);
        second.leave();
        members.seconds(5);
        assertEquals(10, first.share.share());
        assertTrue(first.share.status().failures() >= 1);
    }

    @Test
    void Z4_aSmallerQuotaIsInForceAsSoonAsOneKnowsItALargerOneWhenAllDo() {
        Instance first = joined();
        Instance second = joined();
        first.share.setQuota(6);
        members.seconds(1);
        assertEquals(List.of(3L, 3L), shares());
        assertEquals(
                List.of("another instance has the quota 6, here it is 10"),
                second.share.status().problems());
        first.share.setQuota(8);
        second.share.setQuota(8);
        members.seconds(1);
        assertEquals(List.of(4L, 4L), shares());
        first.share.setQuota(10);
        members.seconds(1);
        assertEquals(List.of(4L, 4L), shares());
    }

    @Test
    void Z2_ifTheQuotaIsSmallerThanTheNumberOfInstancesTheSharesOfZeroGoRound() {
        for (int i = 0; i < 25; i++) {
            members.join();
        }
        members.seconds(10);
        long[] seconds = new long[25];
        for (int second = 0; second < 300; second++) {
            List<Long> shares = shares();
            for (int i = 0; i < 25; i++) {
                seconds[i] += shares.get(i);
            }
            members.seconds(1);
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
        String text = members.server.value("rate");
        members.server.overwrite("rate", text + "i7 one two\ni9 00000000000000ff -5 x 10 -3 - -\n");
        members.seconds(3);
        assertEquals(List.of(5L, 5L), shares());
        String healed = members.server.value("rate");
        assertFalse(healed.contains("i7") || healed.contains("i9"), healed);
        assertTrue(first.share.status().problems().isEmpty());
    }

    @Test
    void Z1_aLedgerThatIsLostIsWrittenAgainFromWhatEachHasAndNobodyGrowsForALease() {
        Instance first = joined();
        joined();
        for (String junk : List.of("hello", "weir-share 2 epoch 7\n", "\0")) {
            members.server.overwrite("rate", junk);
            members.seconds(1);
            assertEquals(List.of(5L, 5L), shares());
            Instance third = joined();
            assertEquals(List.of(4L, 3L, 0L), shares());
            members.seconds(4);
            assertEquals(List.of(4L, 3L, 3L), shares());
            third.leave();
            members.seconds(1);
        }
        members.server.delete("rate");
        first.leave();
        members.seconds(2);
        assertEquals(List.of(5L), shares());
        members.seconds(4);
        assertEquals(List.of(10L), shares());
    }

    @Test
    void Z5_aRowOfALiveInstanceThatClaimsTheWholeQuotaLetsNobodyHaveMore() {
        joined();
        joined();
        String text = members.server.value("rate");
        members.server.overwrite("rate", text.replaceFirst("(i1 [0-9a-f]{16}) 5", "$1 999999"));
        members.seconds(3);
        assertEquals(List.of(5L, 5L), shares());
    }

    @Test
    void Z5_aSecondInstanceWithTheSameIdIsReportedAndItsRowIsRemovedOnceItIsDead() {
        Instance first = joined();
        String twin = members.server.value("rate").replaceFirst("(?s).*(i0 )[0-9a-f]{16}", "$100000000000000ff");
        members.server.overwrite("rate", members.server.value("rate") + twin);
        members.seconds(2);
        assertEquals(
                List.of("another instance has the id i0"), first.share.status().problems());
        members.seconds(60);
        assertEquals(List.of(10L), shares());
        assertEquals(List.of(), first.share.status().problems());
    }

    @Test
    void Z5_twoLiveSharesWithOneIdHaveARowEachAndDoNotWriteWithoutEnd() {
        Instance first = joined();
        Share twin = Share.builder("rate", first.registry, 10)
                .degraded(0)
                .time(members.time, members.time)
                .executor(task -> members.time.ring(1, task))
                .telling(share -> {});
        members.seconds(60);
        assertEquals(5, twin.share());
        assertEquals(List.of(5L), shares());
        long before = twin.status().rounds();
        members.seconds(60);
        assertTrue(twin.status().rounds() - before < 90, () -> twin.status().rounds() - before + " rounds in 60 s");
        twin.close();
        members.seconds(1);
        assertEquals(List.of(10L), shares());
    }

    @Test
    void Z4_atMostOneRoundInATenthOfASecond() {
        Instance first = joined();
        joined();
        long before = first.share.status().rounds();
        for (int i = 0; i < 10_000; i++) {
            members.server.overwrite("rate", members.server.value("rate"));
            members.time.advance(Members.MILLI);
        }
        long rounds = first.share.status().rounds() - before;
        assertTrue(rounds > 50 && rounds <= 101, () -> rounds + " rounds in 10 s");
    }

    @Test
    void nothingIsPolledWhileNothingChanges() {
        Instance first = joined();
        joined();
        members.seconds(5);
        long before = first.share.status().rounds();
        members.seconds(100);
        long rounds = first.share.status().rounds() - before;
        assertTrue(rounds <= 101, () -> rounds + " rounds in 100 s, with a renewal a second");
    }

    @Test
    void weightsAreObeyed() {
        members.division = Division.weighted(4);
        joined();
        members.division = Division.weighted(1);
        joined();
        assertEquals(List.of(8L, 2L), shares());
    }

    @Test
    void unusedShareIsLentAndCalledBack() {
        AtomicLong busy = new AtomicLong(50);
        AtomicLong idle = new AtomicLong();
        members.division = Division.byDemand(busy::get);
        joined();
        members.division = Division.byDemand(idle::get);
        joined();
        assertEquals(List.of(9L, 1L), shares());
        idle.set(3);
        members.seconds(2);
        assertEquals(List.of(7L, 3L), shares());
        idle.set(30);
        members.seconds(2);
        assertEquals(List.of(5L, 5L), shares());
        busy.set(0);
        members.seconds(2);
        assertEquals(List.of(1L, 9L), shares());
    }

    @Test
    void aDemandThatThrowsStaysAsItWas() {
        AtomicLong demand = new AtomicLong(8);
        members.division = Division.byDemand(() -> {
            if (demand.get() < 0) {
                throw new IllegalStateException("on purpose");
            }
            return demand.get();
        });
        Instance first = joined();
        members.division = Division.equal();
        joined();
        demand.set(-1);
        members.seconds(10);
        assertEquals(List.of(5L, 5L), shares());
        assertEquals(
                List.of("the demand was not told: java.lang.IllegalStateException: on purpose"),
                first.share.status().problems());
    }

    @Test
    void aFunctionThatThrowsIsCalledAgainAndTheOthersAreLeftInPeace() {
        Instance first = joined();
        AtomicLong calls = new AtomicLong();
        Share failing = Share.builder("rate", members.server.open("x", Members.LEASE), 10)
                .degraded(0)
                .time(members.time, members.time)
                .executor(task -> members.time.ring(1, task))
                .telling(share -> {
                    calls.getAndIncrement();
                    if (share > 0) {
                        throw new IllegalStateException("on purpose");
                    }
                });
        members.seconds(5);
        assertEquals(0, failing.share());
        assertTrue(failing.status().lastFailure() instanceof IllegalStateException);
        long before = first.share.status().rounds();
        members.seconds(10);
        assertTrue(first.share.status().rounds() - before <= 11);
        assertTrue(calls.get() >= 10);
        failing.close();
        members.seconds(1);
        assertEquals(List.of(10L), shares());
    }

    private Share.Builder builder(ShareRegistry registry) {
        return Share.builder("rate", registry, 10)
                .degraded(0)
                .time(members.time, members.time)
                .executor(task -> members.time.ring(1, task));
    }

    @Test
    void Z1_aShareThatIsClosedWhileItIsToldOneKeepsItsRowUntilItIsToldZero() {
        List<Long> told = new ArrayList<>();
        List<Boolean> hadRow = new ArrayList<>();
        AtomicReference<Share> share = new AtomicReference<>();
        share.set(builder(members.server.open("x", Members.LEASE)).telling(n -> {
            told.add(n);
            if (n > 0) {
                share.get().close();
                hadRow.add(members.server.value("rate").contains("x "));
            }
        }));
        members.seconds(10);
        assertEquals(List.of(0L, 10L, 0L), told);
        assertEquals(List.of(true), hadRow, "it enforces 10 until the function has returned");
        assertFalse(members.server.value("rate").contains("x "));
    }

    @Test
    void aShareThatIsClosedWhileItsFirstRowIsWrittenLeavesNoRow() {
        ShareRegistry registry = members.server.open("x", Members.LEASE);
        Share share = builder(registry).telling(n -> {});
        AtomicLong commands = new AtomicLong();
        members.server.onTheWay(id -> {
            if (commands.incrementAndGet() == 5) { // the replacement, on its way there
                share.close();
            }
        });
        members.seconds(1);
        assertTrue(commands.get() > 5);
        assertFalse(members.server.value("rate").contains("x "), members.server.value("rate"));
    }

    @Test
    void aShareGoesOnAfterNoThreadCouldBeStarted() {
        AtomicLong refusals = new AtomicLong();
        Share share = builder(members.server.open("x", Members.LEASE))
                .executor(task -> {
                    if (refusals.get() > 0) {
                        refusals.getAndDecrement();
                        throw new Error("no thread can be started, on purpose");
                    }
                    members.time.ring(1, task);
                })
                .telling(n -> {});
        members.seconds(5);
        assertEquals(10, share.share());
        refusals.set(60);
        members.seconds(4);
        assertEquals(0, share.share());
        members.seconds(10);
        assertEquals(10, share.share());
    }
}
