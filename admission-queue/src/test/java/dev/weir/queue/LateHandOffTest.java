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

/** A queue before a pacer, woken late each time: a slot that is taken late leaves the next ones on schedule. */
class LateHandOffTest {
    private static final long T = 1_000_000;
    private static final int SLOTS = 2_000;

    /** When each of the slots was granted, behind an alarm that rings up to so much late. */
    private static List<Long> grants(long late) {
        VirtualTime time = new VirtualTime();
        SplittableRandom random = new SplittableRandom(1);
        ManagedLimiter limiter = Limiters.builder("pacer", Pacer.of(1_000, Duration.ofSeconds(1)))
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
        time.advance(10 * SLOTS * T);
        assertEquals(SLOTS, grants.size());
        return grants;
    }

    @Test
    void aLateHandOffDoesNotShiftTheSchedule() {
        List<Long> grants = grants(T);
        for (int k = 0; k < SLOTS; k++) {
            long due = k * T;
            long at = grants.get(k);
            assertTrue(at >= due && at < due + T, () -> "slot due at " + due + " granted at " + at);
        }
    }

    @Test
    void whatIsLaterThanADistanceIsNotMadeUpFor() {
        List<Long> grants = grants(3 * T);
        long due = 0;
        for (long at : grants) {
            long slot = due;
            assertTrue(at >= slot, () -> "slot due at " + slot + " granted at " + at);
            due = (at - due < T ? due : at) + T;
        }
        assertTrue(due > SLOTS * T);
    }
}
