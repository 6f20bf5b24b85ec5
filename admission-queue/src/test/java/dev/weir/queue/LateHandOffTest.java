package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.Pacer;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A queue before a pacer, woken late each time: slots that are taken late by 10 ms leave the next ones on schedule. */
class LateHandOffTest {
    private static final long CATCH_UP = 10_000_000;
    private static final int SLOTS = 2_000;

    /** When each of the slots was granted, behind an alarm that rings less than so much late. */
    private static List<Long> grants(long distance, long late) {
        VirtualTime time = new VirtualTime();
        SplittableRandom random = new SplittableRandom(1);
        ManagedLimiter limiter = Limiters.builder("pacer", Pacer.of(1, Duration.ofNanos(distance)))
                .ticker(time)
                .build();
        AdmissionQueue queue = AdmissionQueue.builder("pacer", limiter, QueueSpec.of(SLOTS))
                .alarm((nanos, action) -> time.ring(nanos + random.nextLong(late), action))
                .executor(Runnable::run)
                .build();
        List<Long> grants = new ArrayList<>();
        for (int i = 0; i < SLOTS; i++) {
            queue.acquireAsync(Request.ONE, Duration.ofDays(1)).thenRun(() -> grants.add(time.read() - 1));
        }
        time.advance(100 * SLOTS * distance);
        assertEquals(SLOTS, grants.size());
        return grants;
    }

    @Test
    void aLateHandOffDoesNotShiftTheSchedule() {
        for (long distance : new long[] {200_000, 1_000_000, 40_000_000}) {
            long late = Math.max(CATCH_UP + 1, distance);
            List<Long> grants = grants(distance, late);
            for (int k = 0; k < SLOTS; k++) {
                long due = k * distance;
                long at = grants.get(k);
                assertTrue(at >= due && at < due + late, () -> "slot due at " + due + " granted at " + at);
            }
        }
    }

    @Test
    void whatIsLaterThanTheCatchUpIsNotMadeUpFor() {
        for (long distance : new long[] {200_000, 1_000_000, 40_000_000}) {
            long kept = (CATCH_UP / distance + 1) * distance;
            List<Long> grants = grants(distance, 3 * kept);
            long due = 0;
            for (long at : grants) {
                long slot = due;
                assertTrue(at >= slot, () -> "slot due at " + slot + " granted at " + at);
                due = (at - due < kept ? due : at) + distance;
            }
            assertTrue(due > SLOTS * distance + kept);
        }
    }
}
