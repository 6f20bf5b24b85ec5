package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class UnreportedGrantsTest {
    private final UnreportedGrants grants = new UnreportedGrants("k", 800, Long.MAX_VALUE - 50);

    @Test
    void areDroppedAfterTheHorizonAndAtMostAnEighthLater() {
        long start = Long.MAX_VALUE - 50;
        assertTrue(grants.add(start, 1));
        assertTrue(grants.add(start + 99, 2));
        assertTrue(grants.add(start + 100, 4));
        assertTrue(grants.add(start + 899, 8));
        assertEquals(15, grants.take(start + 899));
    }

    @Test
    void thoseOfLongAgoAreGone() {
        long start = Long.MAX_VALUE - 50;
        assertTrue(grants.add(start, 1));
        assertTrue(grants.add(start + 100, 4));
        assertEquals(4, grants.take(start + 900));
    }

    @Test
    void allAreGoneAfterALongTimeAndNoneIfTheClockGoesBack() {
        long start = Long.MAX_VALUE - 50;
        assertTrue(grants.add(start, 1));
        assertTrue(grants.add(start + 1_000_000, 2));
        assertTrue(grants.add(start, 4));
        assertEquals(6, grants.take(start - 7));
    }

    @Test
    void thoseThatAreKeptAreNotDropped() {
        assertTrue(grants.keep(3));
        assertTrue(grants.add(Long.MAX_VALUE - 50, 1));
        assertEquals(3, grants.take(Long.MAX_VALUE - 50 + 1_000_000));
        assertFalse(grants.keep(3));
    }

    @Test
    void areTakenOnce() {
        assertTrue(grants.add(0, 3));
        assertEquals(3, grants.take(0));
        assertEquals(0, grants.take(0));
        assertFalse(grants.add(0, 3));
    }

    @Test
    void withoutHorizonNothingIsDropped() {
        UnreportedGrants all = new UnreportedGrants(null, Long.MAX_VALUE, 0);
        assertTrue(all.add(0, 3));
        assertTrue(all.add(Long.MAX_VALUE / 2, 3));
        assertEquals(6, all.take(Long.MAX_VALUE - 1));
    }
}
