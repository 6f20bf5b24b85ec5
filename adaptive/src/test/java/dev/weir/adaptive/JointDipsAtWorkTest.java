package dev.weir.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.adaptive.controller.Crest;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;

/** The joint dips of the default controller at a real limiter: eight workers of 10 ms each, and five times their demand. */
class JointDipsAtWorkTest {
    private static final int WORKERS = 8;
    private static final long MS = 1_000_000;
    private static final long GRID = 6_400;

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("service", new Semaphore(20)).ticker(time).build();
    private final PriorityQueue<Long> free = new PriorityQueue<>();
    private final List<Adjustment> dips = new ArrayList<>();

    private AdaptiveControl.Builder builder(Controller controller) {
        return AdaptiveControl.builder(limiter, controller).onAdjustment(change -> {
            if (change.why().contains("joint dip") && change.to() < change.from()) {
                dips.add(change);
            }
        });
    }

    /** Four requests a millisecond. */
    private void run(Duration length) {
        for (long milli = 0; milli < length.toMillis(); milli++) {
            time.advance(MS);
            for (int arrival = 0; arrival < 4; arrival++) {
                if (limiter.tryAcquire() instanceof Permit permit) {
                    serve(permit);
                }
            }
        }
    }

    private void serve(Permit permit) {
        long now = time.read();
        long start = free.size() < WORKERS ? now : Math.max(now, free.remove());
        free.add(start + 10 * MS);
        time.alarm(start + 10 * MS - now, () -> permit.release(Outcome.SUCCESS));
    }

    @Test
    void theyBeginWithTheMultiplesOfTheClock() {
        AdaptiveControl control = builder(new Crest()).build();
        run(Duration.ofSeconds(60));
        assertTrue(dips.size() >= 5, dips::toString);
        dips.forEach(dip -> assertTrue(dip.at().toEpochMilli() % GRID < 100, dip::toString));
        assertTrue(control.learned().get("queue") > 0, control.learned()::toString);
        assertEquals(0, control.snapshot().failures());
    }

    @Test
    void anotherClockMovesThem() {
        builder(new Crest())
                .clock(() -> Instant.ofEpochSecond(3).plusNanos(time.read()))
                .build();
        run(Duration.ofSeconds(60));
        assertTrue(dips.size() >= 5, dips::toString);
        dips.forEach(dip -> assertTrue(dip.at().toEpochMilli() % GRID < 100, dip::toString));
    }

    private AdaptiveControl standingAt(long millis) {
        AdaptiveControl control = builder(new Crest())
                .clock(InstantSource.fixed(Instant.ofEpochMilli(millis)))
                .build();
        run(Duration.ofSeconds(60));
        return control;
    }

    @Test
    void aClockThatStandsStillGivesNone() {
        AdaptiveControl control = standingAt(1000 * GRID + 1600);
        assertEquals(List.of(), dips);
        assertEquals(0, control.learned().get("queue"));
    }

    @Test
    void aClockThatStandsStillAtAMultipleGivesOneAtMost() {
        standingAt(1000 * GRID);
        assertTrue(dips.size() <= 1, dips::toString);
    }

    @Test
    void theOnlyInstanceMakesNone() {
        AdaptiveControl control = builder(Crest.alone()).build();
        run(Duration.ofSeconds(60));
        assertEquals(List.of(), dips);
        assertTrue(control.snapshot().updates() > 0);
    }
}
