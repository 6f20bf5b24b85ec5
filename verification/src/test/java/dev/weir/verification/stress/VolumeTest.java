package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.Oracle;
import dev.weir.verification.lincheck.Twins;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/**
 * A thousand million acquire/release pairs by two threads while a third swaps the algorithm and turns the dial 100,000
 * times, spread over the run; ten times as much of both when the stress is long. Nothing may be lost and nothing won: the
 * capacity is probed from outside in ten pauses.
 *
 * <p>Of the pairs 70 % go through {@code run}, 15 % through {@code tryAcquire}, 10 % through {@code attempt}, one by
 * one. 5 % go under the oracle, for its shared count would otherwise cost more than what it watches: there each thread
 * takes up to four permits at once and counts itself in after it was admitted and out before it releases; whoever was
 * admitted while the limit stood still must not see a count above it.
 */
class VolumeTest {
    private static final boolean LONG = "long".equals(System.getProperty("weir.stress"));
    private static final int PAUSES = 10;

    @Test
    void S1_S2_S11_W1_nothingIsLostOrWonInAThousandMillionPairs() throws Exception {
        long pairs = (LONG ? 10_000_000_000L : 1_000_000_000L) / PAUSES;
        int changes = (LONG ? 1_000_000 : 100_000) / PAUSES;
        ManagedLimiter limiter = Limiters.of("volume", new Semaphore(1));
        for (int pause = 0; pause < PAUSES; pause++) {
            Load load = new Load(limiter, Semaphore::new, Counter::new, pairs, changes);
            load.run();
            assertEquals(0, load.excess(), "admissions above the limit");
            assertTrue(load.watched() >= pairs / 25, () -> load.watched() + " under the oracle");
            probe(limiter, 1 + pause % 3);
        }
    }

    @Test
    void S1_brokenTwin_aSwapThatStartsAFreshCountIsSeen() throws Exception {
        assertTrue(excess(Twins.FreshCounter::new) > 0, "no excess seen");
    }

    @Test
    void S2_brokenTwin_aPlainWriteOfTheLimitIsSeen() throws Exception {
        ManagedLimiter limiter = Limiters.of("twin", new Twins.PlainLimitWrite(1));
        new Load(limiter, null, null, 20_000_000, 200_000).run();
        limiter.dial().setLimit(1_000);
        AssertionError lost = null;
        try {
            Oracle.assertCapacity(1_000, limiter);
        } catch (AssertionError found) {
            lost = found;
        }
        assertTrue(lost != null, "nothing lost");
    }

    private static long excess(LongFunction<dev.weir.spi.StrategySpec> twin) throws Exception {
        Load load = new Load(Limiters.of("twin", twin.apply(1)), twin, twin, 20_000_000, 100_000);
        load.run();
        return load.excess();
    }

    private static void probe(ManagedLimiter limiter, long limit) {
        limiter.reconfigure(limiter.spec() instanceof Semaphore ? new Counter(limit) : new Semaphore(limit));
        assertEquals(0, limiter.snapshot().inFlight());
        Oracle.assertCapacity(limit, limiter);
    }
}
