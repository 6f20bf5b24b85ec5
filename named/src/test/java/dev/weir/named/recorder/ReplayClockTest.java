package dev.weir.named.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.spi.Registration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplayClockTest {
    private final ReplayClock clock = new ReplayClock();
    private final List<String> run = new ArrayList<>();

    private Runnable noted(String event) {
        return () -> run.add(event + "@" + clock.sinceStart());
    }

    @Test
    void eventsRunAtTheirOwnTimeAndInTheOrderInWhichTheyWereSet() {
        clock.ring(20, noted("c"));
        clock.ring(10, noted("a"));
        clock.ring(10, noted("b"));
        clock.advanceTo(15);
        assertEquals(List.of("a@10", "b@10"), run);
        assertEquals(15, clock.sinceStart());
        clock.advanceTo(20);
        assertEquals(List.of("a@10", "b@10", "c@20"), run);
    }

    @Test
    void whatAnEventSetsRunsInTheSameStepIfItIsDue() {
        clock.ring(5, () -> clock.ring(5, noted("later")));
        clock.ring(5, () -> clock.ring(0, noted("now")));
        clock.advanceTo(10);
        assertEquals(List.of("now@5", "later@10"), run);
    }

    @Test
    void whatIsClosedDoesNotRun() {
        Registration closed = clock.ring(5, noted("closed"));
        clock.ring(5, noted("open"));
        closed.close();
        closed.close();
        clock.advanceTo(5);
        assertEquals(List.of("open@5"), run);
    }

    @Test
    void timeNeverGoesBackAndNeverOverflows() {
        clock.ring(Long.MAX_VALUE, noted("never"));
        clock.ring(-7, noted("at once"));
        clock.advanceTo(30);
        clock.advanceTo(10);
        assertEquals(30, clock.sinceStart());
        assertEquals(List.of("at once@0"), run);
    }
}
