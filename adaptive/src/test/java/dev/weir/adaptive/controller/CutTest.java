package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Window;
import org.junit.jupiter.api.Test;

class CutTest {
    private static final double SECOND = 1e9;

    private final Cut cut = new Cut();

    private static Throughput seen(double limit, double done, double lost) {
        return new Throughput(limit, done, lost, SECOND, 1, 1e7);
    }

    private static Window lasting(int seconds) {
        return Window.lasting(seconds * 1_000_000_000L, 1).build();
    }

    private boolean helped(Throughput before, Throughput after, boolean waits) {
        cut.begin(before);
        assertTrue(cut.onTrial());
        boolean helped = cut.helped(after, waits);
        assertFalse(cut.onTrial());
        return helped;
    }

    @Test
    void aTenthMayBeLostAndWhatChanceAddsToIt() {
        assertFalse(cut.losesTooMuch(seen(100, 0, 2)));
        assertFalse(cut.losesTooMuch(seen(100, 900, 100)));
        assertFalse(cut.losesTooMuch(seen(100, 867, 133)), "100 + 3.5 sqrt(90) = 133.2");
        assertTrue(cut.losesTooMuch(seen(100, 866, 134)));
    }

    @Test
    void lossesThatTheCutLowersAreOfTheLimit() {
        assertTrue(helped(seen(100, 500, 500), seen(70, 500, 200), true));
        assertTrue(cut.losesTooMuch(seen(100, 500, 500)), "nothing is tolerated");
    }

    @Test
    void lossesThatStayAreToleratedForHalfAMinuteThenForLonger() {
        Throughput third = seen(100, 700, 300);
        for (int seconds = 30; seconds <= 120; seconds *= 2) {
            assertTrue(cut.losesTooMuch(third));
            assertFalse(helped(third, seen(70, 490, 210), false));
            cut.pass(lasting(seconds - 1));
            assertFalse(cut.losesTooMuch(third));
            cut.pass(lasting(1));
        }
        assertTrue(cut.losesTooMuch(third));
    }

    @Test
    void moreThanIsToleratedIsTooMuchAgain() {
        assertFalse(helped(seen(100, 700, 300), seen(70, 490, 210), false));
        assertFalse(cut.losesTooMuch(seen(100, 650, 350)));
        assertTrue(cut.losesTooMuch(seen(100, 400, 600)));
    }

    @Test
    void aCutThatCostsThroughputCuredNothing() {
        assertFalse(helped(seen(100, 700, 300), seen(70, 400, 50), true));
    }

    @Test
    void aServerThatIsSwampedIsCutOnAsLongAsThatCostsNothing() {
        assertTrue(helped(seen(1000, 0, 500), seen(700, 0, 500), true));
        assertFalse(helped(seen(1000, 0, 500), seen(700, 0, 500), false), "nothing waits there");
        assertFalse(helped(seen(1000, 0, 500), seen(700, 0, 350), true));
    }
}
