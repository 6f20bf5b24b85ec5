package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.Windows;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Crest as one of several instances, in slices of 10 ms before a server whose state the test sets. */
class CrestJointTest {
    private static final long NOON = 1_767_268_800_000L;
    private static final long SLICE = 10;

    private final Crest crest = new Crest();
    private Bounds bounds = Bounds.of(1, 10_000);
    private Window gathered = Windows.quiet(1, 1);
    private boolean fresh = true;
    private long millis;
    private long limit = 100;
    private double workers = 40; // of the server, for this instance
    private double unloadedMillis = 20;
    private long frozen; // the clock
    private double owed; // parts of a call
    private double othersMillis; // added to each latency by the calls of others

    /** So many milliseconds of endless demand. */
    private void serve(long length) {
        for (long end = millis + length; millis < end; ) {
            millis += SLICE;
            double served = Math.min(limit, workers);
            double latency = unloadedMillis * Math.max(1, limit / workers) + othersMillis;
            double rate = othersMillis == 0 ? served / unloadedMillis : limit / latency;
            owed += rate * SLICE;
            long done = (long) owed;
            owed -= done;
            Window slice = Window.lasting(SLICE * Windows.MS, limit)
                    .at(millis * Windows.MS)
                    .epochMillis(frozen > 0 ? frozen : NOON + millis)
                    .requests(done, done)
                    .ended(done, 0, 0)
                    .inFlight(limit, limit)
                    .latencies(Windows.same(20, latency), Latencies.NONE)
                    .build();
            gathered = fresh ? slice : gathered.plus(slice);
            fresh = crest.enough(gathered);
            if (fresh) {
                limit = bounds.clamp(crest.next(gathered, limit), limit);
            }
        }
    }

    private void untilTheMomentOf(int dip) {
        serve(6_400L * dip - millis);
    }

    @Test
    void theFirstDipIsToAQuarterAndTheLimitComesBack() {
        serve(6_390);
        long before = limit;
        serve(SLICE);
        assertEquals((before + 3) / 4, limit, crest.why());
        assertEquals("crest: joint dip", crest.why().replaceAll(", knee.*", ""));
        serve(6_400 - SLICE);
        assertTrue(limit >= workers && limit <= 2.5 * workers + 1, () -> limit + " by " + crest.why());
    }

    /* All of 60 ms is the queue of others; in the dip it is gone. */
    @Test
    void aDipWithoutTheQueueOfOthersShowsIt() {
        serve(12_000);
        othersMillis = 60;
        untilTheMomentOf(2);
        othersMillis = 0;
        serve(450);
        assertTrue(crest.why().startsWith("crest: joint dip: a queue"), crest::why);
        assertTrue(crest.learned().get("queue") > 2.5, () -> crest.learned().toString());
    }

    /* Nothing comes for five seconds; what comes then waits behind the calls of others, who are not low any more. */
    @Test
    void aDipThatNothingEndedInTeachesNothing() {
        untilTheMomentOf(2);
        double unloaded = crest.learned().get("latency");
        long low = limit;
        millis += 5_000;
        othersMillis = 60;
        serve(2 * SLICE);
        assertTrue(crest.why().startsWith("crest: joint dip: not measured in time"), crest::why);
        assertEquals(unloaded, crest.learned().get("latency"), 0.01 * unloaded);
        assertTrue(limit > low, () -> limit + " by " + crest.why());
    }

    /* Ten times slower: in the dip it still is, so that the limit may grow tenfold. */
    @Test
    void aSlowerServerIsFollowed() {
        untilTheMomentOf(2);
        unloadedMillis = 200;
        workers = 400;
        serve(20_000);
        untilTheMomentOf(6);
        serve(-SLICE + 6_400);
        assertTrue(limit >= 0.9 * workers, () -> limit + " by " + crest.why());
        assertEquals(200, crest.learned().get("latency") / Windows.MS, 20);
    }

    /* The bounds let a limit rise by a factor of 1.2 at a time: what lies between is nobody else's limit. */
    @Test
    void onItsWayBackTheLimitIsNotTakenForAnothersAndTheKneeStays() {
        bounds = new Bounds(1, 10_000, 1.2);
        untilTheMomentOf(3);
        double knee = crest.learned().get("knee");
        serve(6_390);
        assertEquals(knee, crest.learned().get("knee"), 0.1 * knee, crest.why());
    }

    @Test
    void aLimitThatAnotherHandSetDuringADipStays() {
        untilTheMomentOf(2);
        assertTrue(crest.why().startsWith("crest: joint dip"), crest::why);
        limit = 5;
        serve(1000);
        assertTrue(limit <= 13, () -> limit + " by " + crest.why());
    }

    @Test
    void aloneThereIsNone() {
        Crest alone = Crest.alone();
        Window due = Windows.busy(100, 10).epochMillis(NOON).at(1).build();
        alone.restore(Map.of("knee", 80.0), 1);
        for (int window = 0; window < 100; window++) {
            alone.next(due, 100);
            assertTrue(!alone.why().contains("dip"), alone::why);
        }
    }

    @Test
    void aLimitThatIsNotEnforcedOrARateHasNone() {
        for (Window.Builder due : new Window.Builder[] {
            Windows.busy(100, 10).passed(5), Windows.busy(100, 10).inFlight(0, 0)
        }) {
            Crest one = new Crest();
            for (int window = 0; window < 100; window++) {
                one.next(
                        due.epochMillis(NOON + 6_400 * window)
                                .at(6_400 * Windows.MS * window)
                                .build(),
                        100);
                assertTrue(!one.why().contains("dip"), one::why);
            }
        }
    }

    @Test
    void aClockThatStandsStillDoesNotHoldTheLimitDown() {
        frozen = NOON + 7;
        serve(60_000);
        unloadedMillis = 200;
        workers = 400;
        serve(600_000);
        assertTrue(crest.learned().get("knee") >= 0.8 * workers, crest::why);
    }

    /* 36 is above the dip, and below the limit that the dip would restore. */
    @Test
    void aLimitThatAnotherHandSetsAboveADipIsNotReplacedByTheOneBefore() {
        untilTheMomentOf(3);
        assertTrue(crest.why().startsWith("crest: joint dip"), crest::why);
        serve(2 * SLICE); // the window after the change
        long set = limit + 2;
        limit = set;
        serve(SLICE);
        assertTrue(limit <= set, () -> limit + " by " + crest.why());
    }
}
