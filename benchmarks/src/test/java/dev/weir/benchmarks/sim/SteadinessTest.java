package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SteadinessTest {
    private static final Scenario SCENARIO = Starts.of(1).get(0);

    /** A minute in quarters of a second: in the last half the limit jumps once, and ever more is in flight. */
    @Test
    void byHand() {
        Trail trail = Trail.fine(SCENARIO);
        double knee = SCENARIO.knee().value(0);
        for (int i = 0; i < 240; i++) {
            trail.stands(i * trail.interval, i < 180 ? 100 : 110, (int) (i < 180 ? knee : 3 * knee));
        }
        Steadiness steadiness = Steadiness.of(SCENARIO, trail);
        assertEquals(2, steadiness.moves(), 1e-9, "one in half a minute");
        assertEquals(3, steadiness.drift(), 1e-9);
        assertEquals(3, steadiness.inFlight(), 1e-9, "the upper median");
    }

    @Test
    void whereNothingHappensTheLastStandingRemains() {
        Trail trail = Trail.fine(SCENARIO);
        trail.stands(0, 8, (int) SCENARIO.knee().value(0));
        assertEquals(new Steadiness(1, 1, 0), Steadiness.of(SCENARIO, trail));
    }
}
