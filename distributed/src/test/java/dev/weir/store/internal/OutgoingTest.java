package dev.weir.store.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutgoingTest {
    private static final int TOGETHER = 64;
    private static final int ALONE = Outgoing.COMMANDS + Outgoing.BESIDE;

    private static int begun(Outgoing outgoing) {
        int begun = 0;
        while (outgoing.begin(1)) {
            begun++;
        }
        return begun;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MAX_VALUE, Long.MIN_VALUE})
    void afterAPauseSomeGoBesideTheFirstTwo(long origin) {
        VirtualTime time = new VirtualTime(origin);
        Outgoing outgoing = new Outgoing(time, TOGETHER);
        assertEquals(ALONE, begun(outgoing));
        time.advance(Duration.ofSeconds(10));
        assertEquals(Outgoing.BESIDE, begun(outgoing));
    }

    @Test
    void fourThousandASecondGoBesideTheFirstTwo() {
        VirtualTime time = new VirtualTime();
        Outgoing outgoing = new Outgoing(time, TOGETHER);
        int begun = begun(outgoing);
        for (int i = 0; i < 100_000; i++) {
            time.advance(Duration.ofNanos(10_000));
            begun += begun(outgoing);
        }
        assertEquals(ALONE + 4_000, begun);
    }

    @Test
    void aFullCommandGoesAtOnce() {
        Outgoing outgoing = new Outgoing(new VirtualTime(), TOGETHER);
        assertEquals(ALONE, begun(outgoing));
        assertFalse(outgoing.begin(TOGETHER - 1));
        assertTrue(outgoing.begin(TOGETHER));
    }

    @Test
    void whileFewerThanTwoAreOnTheirWayTheNextGoesAtOnce() {
        Outgoing outgoing = new Outgoing(new VirtualTime(), TOGETHER);
        int begun = begun(outgoing);
        for (int i = begun; i > Outgoing.COMMANDS; i--) {
            outgoing.end();
            assertFalse(outgoing.begin(1), i + " were on their way");
        }
        outgoing.end();
        assertTrue(outgoing.begin(1));
        outgoing.end();
        outgoing.end();
        assertTrue(outgoing.isIdle());
    }
}
