package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.Windows;
import org.junit.jupiter.api.Test;

/** A latency counts as 30 s at most, so that one of an hour does not stop the evaluation for hours. */
class WindowLengthTest {
    private static final long SECOND = 1_000 * Windows.MS;
    private static final double HOUR = 3600.0 * SECOND;

    private final LatencyBaseline latencies = new LatencyBaseline();
    private final WindowLength length = new WindowLength(latencies);

    private static Window lasting(long seconds) {
        return Window.lasting(seconds * SECOND, 10).build();
    }

    @Test
    void whileAHighLimitIsAFirstGuessAWindowLastsForEightCallsOr50Milliseconds() {
        Window.Builder seven = Window.lasting(49 * Windows.MS, 33).ended(6, 1, 0);
        assertFalse(length.calm(seven.build(), false));
        assertTrue(length.calm(seven.ended(7, 1, 0).build(), false));
        assertFalse(length.calm(Window.lasting(49 * Windows.MS, 33).build(), false));
        assertTrue(length.calm(Window.lasting(50 * Windows.MS, 33).build(), false));
        assertFalse(length.calm(Window.lasting(50 * Windows.MS, 32).build(), false));
    }

    @Test
    void theFirstWindowLastsAtMostAMinute() {
        latencies.unloaded(HOUR);
        assertFalse(length.calm(lasting(59), false));
        assertTrue(length.calm(lasting(60), false));
    }

    @Test
    void theFirstWindowLastsATenthOfASecondWithoutAnyLatency() {
        assertFalse(length.calm(Window.lasting(99 * Windows.MS, 10).build(), false));
        assertTrue(length.calm(Window.lasting(100 * Windows.MS, 10).build(), false));
    }

    @Test
    void theFirstWindowEndsEarlierOnceEnoughCallsAreCounted() {
        latencies.unloaded(HOUR);
        Window.Builder many = lasting(30).toBuilder().requests(1_000_000, 0);
        assertFalse(length.calm(many.build(), false));
        assertTrue(length.calm(many.ended(1_000_000, 0, 0).build(), false));
    }

    @Test
    void aWindowAfterAChangeLastsAtMostHalfAMinute() {
        Window slow = lasting(29).toBuilder()
                .requests(60, 0)
                .ended(60, 0, 0)
                .latencies(Windows.same(60, HOUR / Windows.MS), Latencies.NONE)
                .build();
        latencies.learn(slow, true);
        assertFalse(length.settled(slow));
        assertTrue(length.settled(lasting(30)));
        assertFalse(length.trial(lasting(359)));
        assertTrue(length.trial(lasting(360)));
    }
}
