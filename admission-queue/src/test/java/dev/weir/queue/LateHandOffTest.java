package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A queue before a pacer, woken late each time: a slot that is asked for late leaves the next ones on schedule. */
class LateHandOffTest {
    private static final long T = 1_000_000;
    private static final int SLOTS = 2_000;

    /**
     * A slot each T. One that is asked for late by {@code catchUp} at most counts as taken on time; later than that the
     * schedule begins again when it is asked for.
     */
    private record Slots(long catchUp) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            return new Strategy() {
                private long next = ticker.read();

                @Override
                public synchronized long acquire(Request request) {
                    long late = ticker.read() - next;
                    if (late < 0) {
                        return -late;
                    }
                    next += (late <= catchUp ? 0 : late) + T;
                    return GRANTED;
                }

                @Override
                public long limit() {
                    return 1;
                }

                @Override
                public void setLimit(long limit) {}

                @Override
                public boolean holds() {
                    return false;
                }

                @Override
                public boolean refunds() {
                    return false;
                }
            };
        }
    }

    /** When each of the slots was granted, behind an alarm that rings up to so much late. */
    private static List<Long> grants(long catchUp, long late) {
        VirtualTime time = new VirtualTime();
        SplittableRandom random = new SplittableRandom(1);
        ManagedLimiter limiter =
                Limiters.builder("pacer", new Slots(catchUp)).ticker(time).build();
        AdmissionQueue queue = AdmissionQueue.builder("pacer", limiter, QueueSpec.of(SLOTS))
                .alarm((nanos, action) -> time.ring(nanos + random.nextLong(late), action))
                .executor(Runnable::run)
                .build();
        List<Long> grants = new ArrayList<>();
        for (int i = 0; i < SLOTS; i++) {
            queue.acquireAsync(Request.ONE, Duration.ofDays(1)).thenRun(() -> grants.add(time.read() - 1));
        }
        time.advance(2 * SLOTS * T);
        assertEquals(SLOTS, grants.size());
        return grants;
    }

    @Test
    void aLateHandOffDoesNotShiftTheSchedule() {
        List<Long> grants = grants(T, 6 * T / 10);
        for (int k = 0; k < SLOTS; k++) {
            long due = k * T;
            long at = grants.get(k);
            assertTrue(at >= due && at <= due + T, () -> "slot due at " + due + " granted at " + at);
        }
    }

    /** Without it 77 % of the rate are left. */
    @Test
    void withoutCatchUpEveryLateHandOffIsLost() {
        long last = grants(0, 6 * T / 10).get(SLOTS - 1);
        assertEquals(77, 100 * (SLOTS - 1) * T / last, 1);
    }
}
