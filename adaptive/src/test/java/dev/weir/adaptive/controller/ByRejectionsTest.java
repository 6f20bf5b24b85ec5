package dev.weir.adaptive.controller;

import static dev.weir.adaptive.contract.Windows.busy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Ages;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.ControllerContract;
import dev.weir.adaptive.contract.Windows;
import dev.weir.testkit.Seed;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("property")
class ByRejectionsTest extends ControllerContract {
    private static final long SECOND = 1000 * Windows.MS;

    private final Controller aimd = Aimd.byRejections();
    private long limit = 20;

    /** Each rejection lowers it. */
    @Override
    protected Set<Promise> broken() {
        return Set.of(Promise.DROPS_THAT_NO_LIMIT_CURES);
    }

    @Override
    protected Controller controller() {
        return Aimd.byRejections();
    }

    private static Window.Builder used(long nanos, long limit) {
        return Window.lasting(nanos, limit).requests(0, 1).inFlight(limit, limit);
    }

    private long see(Window window) {
        limit = aimd.next(window, limit);
        return limit;
    }

    private long accepted(long completed) {
        return see(used(SECOND, limit).ended(completed, 0, 0).build());
    }

    private long refused(long count) {
        return see(used(Windows.MS, limit)
                .ended(0, count, 0)
                .droppedSinceLowered(1)
                .build());
    }

    @Test
    void itRisesBySecondsByStepsThatDoubleUpToAQuarter() {
        assertEquals(21, accepted(1));
        assertEquals(23, accepted(1));
        assertEquals(27, accepted(1));
        assertEquals(33, accepted(1)); // a quarter of 27 is 6.75: 33.75
        assertEquals(42, accepted(1)); // 33.75 x 1.25
        assertEquals("aimd: nothing refused at 33", aimd.why());
    }

    @Test
    void itRisesOnlyAfterAWholeSecondOfUse() {
        Window part = used(SECOND / 2, 20).ended(1, 0, 0).build();
        assertEquals(20, see(part));
        assertEquals(
                20,
                see(Window.lasting(SECOND, 20).ended(9, 0, 0).inFlight(17, 17).build()));
        assertEquals("aimd: no demand", aimd.why());
        assertEquals(21, see(part));
    }

    @Test
    void beforeAnyCallHasEndedItRisesForAMinute() {
        for (int second = 0; second < 59; second++) {
            long before = limit;
            assertTrue(accepted(0) > before, aimd::why);
        }
        long most = limit;
        for (int second = 0; second < 100; second++) {
            assertEquals(most, accepted(0));
        }
        assertTrue(accepted(1) > most, aimd::why);
        long since = limit;
        assertEquals(since, accepted(0)); // calls end by now, so silence is no acceptance
    }

    @Test
    void callsThatFailOtherwiseAreNotAccepted() {
        assertEquals(20, see(used(SECOND, 20).ended(4, 0, 5).build()));
        assertEquals(21, see(used(SECOND, 20).ended(1, 0, 0).build()));
    }

    @Test
    void whatWasAcceptedBeforeASmallStepIsKept() {
        accepted(1);
        assertEquals(20, refused(1));
        assertEquals("aimd: refused at 21", aimd.why());
        assertEquals(18, refused(1)); // 20 was no step up
    }

    @ParameterizedTest
    @CsvSource({"20, 18", "1, 1", "2, 1", "1000, 900"})
    void aRejectionCuts(long from, long to) {
        limit = from;
        assertEquals(to, refused(3));
    }

    @Test
    void rejectionsFromBeforeTheCutNeitherCutNorRaise() {
        limit = 100;
        assertEquals(90, refused(1));
        for (int window = 0; window < 20; window++) {
            assertEquals(90, see(used(SECOND, 90).ended(500, 50, 0).build()));
        }
        assertEquals("aimd: refused calls are from before the last cut", aimd.why());
    }

    @Test
    void itReturnsBySuccessesAndHoldsBelowWhatWasRefused() {
        limit = 1000;
        assertEquals(900, refused(1));
        assertEquals(950, accepted(900)); // half of 100
        assertEquals(975, accepted(5000)); // half of 50, however many succeeded
        assertEquals(987, accepted(487)); // half of 25 exactly for half a limit: 975 + 0.4995 x 25
        limit = aimd.next(used(SECOND, limit).ended(0, 0, 0).build(), limit);
        assertEquals(987, limit);
        accepted(2000);
        assertEquals(999, limit);
    }

    @ParameterizedTest
    @CsvSource({"1000, 1, 200", "1000, 10000, 200", "21, 1, 200", "11, 50, 100"})
    void whatWasRefusedIsTriedAgainWhenItIsPaidFor(long at, long rejections, long successes) {
        limit = at;
        refused(rejections);
        limit = at - 1;
        assertEquals(at - 1, accepted(successes - 1));
        assertEquals("aimd: at the limit, " + at + " was refused", aimd.why());
        assertEquals(at, accepted(1));
        assertEquals("aimd: tries more than " + (at - 1) + " again", aimd.why());
        assertEquals(at + 1, accepted(1));
        assertEquals(at + 1 + Math.min(2, Math.max(1, (at + 1) / 4)), accepted(1));
    }

    @Test
    void afterATrialAHundredMorePayForTheNext() {
        limit = 1000;
        refused(1);
        limit = 999;
        assertEquals(1000, accepted(200));
        assertEquals(999, refused(1));
        assertEquals(999, accepted(99));
        assertEquals(1000, accepted(1));
    }

    @Test
    void ofALowerLimitInForceTheCutIsTaken() {
        Window other =
                used(Windows.MS, 50).ended(0, 1, 0).droppedSinceLowered(1).build();
        assertEquals(45, aimd.next(other, 400));
    }

    @Test
    void latenciesAndCallsThatHangChangeNothing() {
        Seed.forAll(50, random -> {
            Controller one = Aimd.byRejections();
            Controller other = Aimd.byRejections();
            long inForce = random.nextLong(1, 1000);
            for (int step = 0; step < 300; step++) {
                long dropped = random.nextInt(20) == 0 ? random.nextLong(1, 50) : 0;
                Window.Builder window = Window.lasting(random.nextLong(1, SECOND), inForce)
                        .at(step)
                        .requests(random.nextLong(100), random.nextLong(2))
                        .ended(random.nextLong(2000), dropped, random.nextLong(3))
                        .droppedSinceLowered(random.nextInt(2) * dropped)
                        .inFlight(0, random.nextLong(inForce + 1));
                long plain = one.next(window.build(), inForce);
                Latencies slow = Windows.same(random.nextInt(1, 100), random.nextDouble(0.1, 1e6));
                Window slower = window.latencies(slow, slow)
                        .ages(new Ages(slow, inForce))
                        .hung(random.nextLong(inForce + 1))
                        .build();
                assertEquals(plain, other.next(slower, inForce));
                assertEquals(one.why(), other.why());
                inForce = plain;
            }
        });
    }

    @Test
    void theRefusedLimitOutlastsARestart() {
        assertEquals(Map.of(), aimd.learned());
        limit = 1000;
        refused(1);
        assertEquals(Map.of("refused-at", 1000.0), aimd.learned());
        Controller next = Aimd.byRejections();
        next.restore(aimd.learned(), 0.5);
        assertEquals(950, next.next(used(SECOND, 900).ended(900, 0, 0).build(), 900));
        Controller late = Aimd.byRejections();
        late.restore(aimd.learned(), 0.49);
        assertEquals(901, late.next(used(SECOND, 900).ended(900, 0, 0).build(), 900));
    }

    @Test
    void aRejectionIsSeenAtOnceAndElseAfterATenthOfASecond() {
        assertTrue(aimd.enough(used(1, 20).droppedSinceLowered(1).build()));
        assertFalse(aimd.enough(used(99 * Windows.MS, 20).ended(900, 9, 0).build()));
        assertTrue(aimd.enough(busy(20, 10).build()));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1, -1, 2, Double.NaN})
    void theBackoffIsAShare(double bad) {
        assertEquals(
                "backoff must be > 0 and < 1, was " + bad,
                assertThrows(IllegalArgumentException.class, () -> Aimd.byRejections(bad))
                        .getMessage());
    }

    @Test
    void theBackoffIsThatOfTheCut() {
        Window lost = used(1, 100).ended(0, 1, 0).droppedSinceLowered(1).build();
        assertEquals(50, Aimd.byRejections(0.5).next(lost, 100));
    }
}
