package dev.weir.adaptive.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.VirtualTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class LagSignalTest {
    private static final long MILLI = 1_000_000;

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5 * MILLI);
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private boolean full;
    private final LagSignal lag = new LagSignal("loop", this::accept, time);

    private void accept(Runnable task) {
        if (full) {
            throw new RejectedExecutionException();
        }
        queue.add(task);
    }

    @Test
    void tellsHowLongTheLastProbeWaited() {
        assertTrue(Double.isNaN(lag.read()));
        time.advance(30 * MILLI);
        Objects.requireNonNull(queue.poll()).run();
        time.advance(470 * MILLI);
        assertEquals(0.030, lag.read(), 1e-12);
    }

    @Test
    void aProbeThatStillWaitsCountsByItsAge() {
        lag.read();
        time.advance(500 * MILLI);
        assertEquals(0.5, lag.read(), 1e-12);
        time.advance(500 * MILLI);
        assertEquals(1.0, lag.read(), 1e-12);
        assertEquals(1, queue.size(), "one probe at a time");
        Objects.requireNonNull(queue.poll()).run();
        time.advance(500 * MILLI);
        assertEquals(1.0, lag.read(), 1e-12);
        time.advance(100 * MILLI);
        assertEquals(1.0, lag.read(), 1e-12, "a young probe does not make the lag less");
        Objects.requireNonNull(queue.poll()).run();
        assertEquals(0.1, lag.read(), 1e-12);
    }

    @Test
    void aDirectExecutorHasNone() {
        LagSignal direct = new LagSignal("direct", Runnable::run, time);
        direct.read();
        assertEquals(0, direct.read());
    }

    @Test
    void anExecutorThatRefusesThrowsAndIsAskedAgain() {
        full = true;
        assertThrows(RejectedExecutionException.class, lag::read);
        assertThrows(RejectedExecutionException.class, lag::read);
        full = false;
        assertTrue(Double.isNaN(lag.read()));
        Objects.requireNonNull(queue.poll()).run();
        assertEquals(0, lag.read());
    }
}
