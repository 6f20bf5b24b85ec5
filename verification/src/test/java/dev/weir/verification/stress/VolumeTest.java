package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Stress;
import dev.weir.verification.lincheck.Twins;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Fifty million acquire/release pairs and more by two threads while a third swaps the algorithm and turns the dial 5,000
 * times, spread over the run. Nothing may be lost and nothing won: the capacity is probed from outside in a pause after
 * each tenth of that.
 *
 * <p>Of the pairs 70 % go through {@code run}, 15 % through {@code tryAcquire}, 10 % through {@code attempt}, one by
 * one. 5 % go under the oracle, for its shared count would otherwise cost more than what it watches: there each thread
 * takes up to four permits at once and counts itself in after it was admitted and out before it releases; whoever was
 * admitted while the limit stood still must not see a count above it.
 */
@Tag("proof")
class VolumeTest {
    private static final int PAUSES = 10;
    private static final long PAIRS = 5_000_000;
    private static final int CHANGES = 500;
    private static final int ROUNDS = 400;

    @Test
    void S1_S2_S11_W1_nothingIsLostOrWonInMillionsOfPairs() throws Exception {
        ManagedLimiter limiter = Limiters.of("volume", new Semaphore(1));
        Stress.seconds(4, 60, 3_600).repeat(PAUSES, pause -> {
            Load load = new Load(limiter, Semaphore::new, Counter::new, PAIRS, CHANGES);
            load.run();
            assertEquals(0, load.excess(), "admissions above the limit");
            assertTrue(load.done() >= PAIRS, () -> load.done() + " pairs");
            assertEquals(CHANGES, load.changed());
            assertTrue(load.watched() >= PAIRS / 25, () -> load.watched() + " under the oracle");
            probe(limiter, 1 + pause % 3);
        });
    }

    @Test
    void S1_brokenTwin_aSwapThatStartsAFreshCountIsSeen() throws Exception {
        long excess = 0;
        for (int round = 0; round < ROUNDS && excess == 0; round++) {
            ManagedLimiter twin = Limiters.of("twin", new Twins.FreshCounter(1));
            Load load = new Load(twin, Twins.FreshCounter::new, Twins.FreshCounter::new, 2_000_000, 20_000);
            load.run();
            excess += load.excess();
        }
        assertTrue(excess > 0, "no excess seen");
    }

    @Test
    void S2_brokenTwin_aPlainWriteOfTheLimitIsSeen() throws Exception {
        long wrong = 0;
        for (int round = 0; round < ROUNDS && wrong == 0; round++) {
            ManagedLimiter twin = Limiters.of("twin", new Twins.PlainLimitWrite(1));
            new Load(twin, null, null, 2_000_000, 20_000).run();
            twin.dial().setLimit(1_000);
            wrong = 1_000
                    - IntStream.range(0, 2_000)
                            .filter(i -> twin.tryAcquire() instanceof Permit)
                            .count();
        }
        assertTrue(wrong != 0, "nothing lost or won");
    }

    private static void probe(ManagedLimiter limiter, long limit) {
        limiter.reconfigure(limiter.spec() instanceof Semaphore ? new Counter(limit) : new Semaphore(limit));
        assertEquals(0, limiter.snapshot().inFlight());
        Oracle.assertCapacity(limit, limiter);
    }
}
