package dev.weir.adaptive.controller;

import static dev.weir.adaptive.contract.Windows.MS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.adaptive.Window;
import org.junit.jupiter.api.Test;

class CeilingTest {
    private static final double NONE = 1e9;

    private final Ceiling ceiling = new Ceiling();

    private static Window seen(long seconds, long inFlight, long completed) {
        return Window.lasting(seconds * 1000 * MS, inFlight)
                .inFlight(inFlight, inFlight)
                .ended(completed, 0, 0)
                .build();
    }

    private void update(Window window) {
        ceiling.update(window, 1, true);
    }

    /* 500/s with 20 inside, 100/s with 80. */
    private void suspect() {
        ceiling.suspect(Throughput.of(seen(1, 20, 500)), Throughput.of(seen(1, 80, 100)));
    }

    private void confirm() {
        suspect();
        update(seen(1, 20, 480));
    }

    @Test
    void aSuspicionIsNoCeiling() {
        suspect();
        assertEquals(NONE, ceiling.limit());
    }

    @Test
    void confirmedWhereThroughputComesBackWithTheCrowdGone() {
        suspect();
        update(seen(1, 60, 120));
        assertEquals(NONE, ceiling.limit(), "the crowd is still there");
        ceiling.update(seen(1, 20, 480), 1, false);
        assertEquals(NONE, ceiling.limit(), "the limit has just been changed");
        update(seen(1, 20, 480));
        assertEquals(40, ceiling.limit(), "sqrt(20 x 80)");
    }

    @Test
    void itIsRaisedWhereThroughputStillGrows() {
        confirm();
        ceiling.raise();
        assertEquals(60, ceiling.limit());
    }

    @Test
    void aSlowerServerIsNone() {
        suspect();
        update(seen(1, 20, 110));
        update(seen(1, 20, 480));
        assertEquals(NONE, ceiling.limit(), "throughput stayed away although the crowd had gone");
    }

    @Test
    void itIsRaisedByHalfAfterItsTerm() {
        confirm();
        update(seen(29, 20, 14_000));
        assertEquals(40, ceiling.limit());
        update(seen(1, 20, 480));
        assertEquals(60, ceiling.limit());
        update(seen(30, 20, 14_000));
        assertEquals(90, ceiling.limit());
    }

    @Test
    void harmAgainHoldsForTwiceAsLong() {
        confirm();
        confirm();
        update(seen(59, 20, 28_000));
        assertEquals(40, ceiling.limit());
        update(seen(1, 20, 480));
        assertEquals(60, ceiling.limit());
    }
}
