package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A thousand million seconds, 31 years, asked whenever it said so, at a rate that divides nothing evenly. What a batched
 * bucket sets apart for its stripes is missing from its first burst; it is no drift.
 */
class YearsTest {
    private static final long ENOUGH = 1_000_000_000L * 1_000_000_000L;
    private static final long DAY = 86_400L * 1_000_000_000L;
    private static final long PERMITS = 7;
    private static final Duration PERIOD = Duration.ofNanos(6_001_000_000_007L);
    private static final long CAPACITY = 64;
    private static final List<RateLaw> LAWS = RateLaw.ALL;

    @ParameterizedTest
    @FieldSource("LAWS")
    void R1_thirtyOneYearsSaturatedDriftByAtMostOnePermit(RateLaw law) {
        Drift drift = drift(law);
        assertTrue(drift.early <= 0 && drift.late <= 0, () -> law + " granted more than promised: " + drift);
        assertTrue(Math.abs(drift.late - drift.early) <= 1, () -> law + " drifted: " + drift);
    }

    @Test
    void R2_brokenTwin_aBucketThatRoundsEachTimeDrifts() {
        RateLaw bucket = RateLaw.ALL.get(0);
        Drift drift = drift(new RateLaw("naive", NaiveBucket::new, bucket.max(), bucket.saturated()));
        assertTrue(drift.late < drift.early - 1, drift::toString);
    }

    /** Permits granted beyond what was promised, after the first day and after the last. */
    private record Drift(long early, long late) {}

    private static Drift drift(RateLaw law) {
        VirtualTime time = new VirtualTime(Long.MAX_VALUE - ENOUGH / 2);
        Strategy strategy = law.spec().of(PERMITS, PERIOD, CAPACITY).create(time);
        Long early = null;
        long granted = 0;
        long gone = 0;
        for (; ; ) {
            long answer = strategy.acquire(Request.ONE);
            if (answer == Strategy.GRANTED) {
                granted++;
                continue;
            }
            assertTrue(answer > 0, "a wait");
            if (early == null && gone + answer > DAY) {
                early = granted - promised(law, DAY);
            }
            if (early != null && gone + answer > ENOUGH) {
                return new Drift(early, granted - promised(law, ENOUGH));
            }
            gone += answer;
            time.advance(answer);
        }
    }

    private static long promised(RateLaw law, long nanos) {
        return RateLaw.count(law.saturated(), nanos, PERMITS, PERIOD, CAPACITY).longValueExact();
    }
}
