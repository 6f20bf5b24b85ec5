package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The limits that look at the CPU or the load first. */
class SwitchesTest {
    private static final long MILLI = 1_000_000;
    private static final long HALF = 500 * MILLI;

    /** The half seconds of full CPU until somebody with this many inside is turned away. */
    private static int halfSecondsUntilClosed(Candidate limit, int inFlight) {
        for (int i = 1; i <= 200; i++) {
            limit.cpu(i * HALF, 1);
            if (!limit.admits(i * HALF, inFlight, 0)) {
                return i;
            }
        }
        return -1;
    }

    /** Eight end in each tenth of a second, each after 25 ms: 80 a second x 25 ms = 2 in flight. */
    private static void steady(Candidate limit, long fromMillis, long toMillis) {
        for (long at = fromMillis; at < toMillis; at += 100) {
            for (int i = 0; i < 8; i++) {
                limit.admits((at - 25) * MILLI, 0, 0);
                limit.left(at * MILLI, (at - 25) * MILLI, 1, false);
            }
        }
    }

    /* Nothing has ended, so 1 a bucket x 1 ms: one inside is let in, two are not. A step shows after 33 readings. */
    @Test
    void kratosSeesAStepOfTheCpuAfter16AndAHalfSeconds() {
        assertEquals(33, halfSecondsUntilClosed(new KratosBbr(), 2));
        assertEquals(-1, halfSecondsUntilClosed(new KratosBbr(), 1));
    }

    @Test
    void kratosHoldsThroughputTimesLatencyWhenHotAndForASecondAfterItsFirstDrop() {
        KratosBbr kratos = new KratosBbr();
        for (int i = 1; i <= 33; i++) {
            kratos.cpu(i * HALF, 1);
        }
        steady(kratos, 17_000, 18_000);
        long now = 18_000 * MILLI;
        assertTrue(kratos.admits(now, 2, 0));
        assertEquals(2, kratos.limit());
        assertFalse(kratos.admits(now, 3, 0));
        for (int i = 0; i < 4; i++) {
            kratos.cpu(now, 0);
        }
        assertFalse(kratos.admits(now + 1000 * MILLI, 3, 0));
        assertTrue(kratos.admits(now + 1001 * MILLI, 3, 0));
    }

    /* Two readings each half second: 47 are needed, so the 24th half second shows it. Without a flight: 1 x 1 s. */
    @Test
    void goZeroSeesAStepOfTheCpuAfter12Seconds() {
        GoZero shedder = new GoZero();
        for (int i = 0; i < 200; i++) {
            shedder.admits(1, 100, 0);
            shedder.left(2, 1, 101, true);
        }
        assertEquals(24, halfSecondsUntilClosed(shedder, 101));
    }

    /* Whole numbers: 981 x .95 + 50 = 981.95, so the CPU stays at 981. 2 in flight x (1000 - 981) / 100 = .38. */
    @Test
    void goZeroScalesWithTheCpuAndAsksTheMeanFlightToo() {
        GoZero shedder = new GoZero();
        for (int i = 1; i <= 400; i++) {
            shedder.cpu(i * HALF, 1);
        }
        steady(shedder, 200_000, 201_000);
        long now = 201_000 * MILLI;
        assertTrue(shedder.admits(now, 50, 0), "nothing has been flying on average");
        assertEquals(0.38, shedder.limit(), 1e-9);
        shedder.left(now + 1, now, 51, true);
        assertFalse(shedder.admits(now + 2, 50, 0));
    }

    /* 2 cores: above a load of 5. 100 inside make 100 x (1 - e^(-6/120)) = 4.88 in six half seconds, 5.67 in seven. */
    @Test
    void sentinelLooksOnceTheLoadOfAMinuteIsHigh() {
        SentinelBbr sentinel = new SentinelBbr(5);
        for (int i = 1; i <= 7; i++) {
            assertTrue(sentinel.admits(i * HALF, 99, 0), "half second " + i);
            sentinel.load(i * HALF, 100);
        }
        assertFalse(sentinel.admits(4000 * MILLI, 99, 0));
        assertEquals(10, sentinel.limit(), "2 a second at the least x 5 s");
    }

    /* 40 end in half a second, the fastest after 25 ms: 80 x 25 ms = 2. */
    @Test
    void sentinelHoldsTheBestHalfSecondTimesTheLeastLatency() {
        SentinelBbr sentinel = new SentinelBbr(0);
        sentinel.load(HALF, 100);
        steady(sentinel, 5000, 6000);
        assertTrue(sentinel.admits(5999 * MILLI, 2, 0));
        assertFalse(sentinel.admits(5999 * MILLI, 3, 0));
        assertEquals(2, sentinel.limit());
    }

    @Test
    void altCpuMovesByATenth() {
        AltCpu alt = new AltCpu();
        alt.cpu(HALF, 0.5);
        assertEquals(20, alt.limit(), "nobody was turned away");
        assertFalse(alt.admits(HALF, 20, 0));
        alt.cpu(2 * HALF, 0.95);
        assertEquals(22, alt.limit(), 1e-9);
        alt.cpu(3 * HALF, 0.96);
        assertEquals(19.8, alt.limit(), 1e-9);
        assertFalse(alt.admits(3 * HALF, 19, 0));
    }
}
