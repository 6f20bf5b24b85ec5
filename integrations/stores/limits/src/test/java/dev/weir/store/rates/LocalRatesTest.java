package dev.weir.store.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.share.Instances.Place;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LocalRatesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Each grants ten permits at once, and ten more within the next second; a window in blocks, within the next 1.1 seconds. */
    private static final List<StrategySpec> TEN = List.of(
            TokenBucket.of(10, SECOND),
            LeakyBucket.of(10, SECOND).withBurst(9),
            Gcra.of(10, SECOND),
            SlidingWindow.of(10, SECOND),
            SlidingLog.of(10, SECOND),
            FixedWindow.of(10, SECOND),
            FixedWindow.aligned(10, SECOND),
            new FirstHitQuota(10, SECOND),
            AllOf.of(TokenBucket.of(10, SECOND), TokenBucket.of(1_000, Duration.ofHours(1))),
            Keyed.of(TokenBucket.of(10, SECOND), 100));

    private final VirtualTime time = new VirtualTime();

    private ManagedLimiter limiter(StrategySpec part) {
        return Limiters.builder("part", part).ticker(time).build();
    }

    private static long drain(ManagedLimiter limiter, @Nullable Object key) {
        long granted = 0;
        while (limiter.tryAcquire(new Request(1, 0, key, Request.NO_DEADLINE)) instanceof Permit) {
            granted++;
        }
        return granted;
    }

    private long drainAll(StrategySpec spec, int count) {
        return IntStream.range(0, count)
                .mapToObj(index -> LocalRates.of(spec, new Place(index, count)))
                .filter(Objects::nonNull)
                .mapToLong(part -> drain(limiter(part), "a"))
                .sum();
    }

    @Test
    void D7_thePartsOfAllPlacesGrantAsMuchAsTheLimit() {
        for (StrategySpec spec : TEN) {
            for (int count = 1; count <= 12; count++) {
                assertEquals(10, drainAll(spec, count), spec + " for " + count);
            }
        }
    }

    @Test
    void D7_thePartsOfEvenRatesRefillTogetherAsFastAsTheLimit() {
        for (StrategySpec spec : TEN) {
            List<ManagedLimiter> parts = IntStream.range(0, 3)
                    .mapToObj(index -> limiter(Objects.requireNonNull(LocalRates.of(spec, new Place(index, 3)))))
                    .toList();
            long granted = 0;
            for (int i = 0; i <= 600; i++) {
                granted += parts.stream().mapToLong(part -> drain(part, "a")).sum();
                time.advance(Duration.ofMillis(100));
            }
            long total = granted;
            assertTrue(total >= 545 && total <= 610, () -> spec + ": " + total);
        }
    }

    @Test
    void aPacerIsAsManyTimesSlower() {
        StrategySpec part = LocalRates.of(Pacer.of(10, SECOND), new Place(0, 4));
        ManagedLimiter limiter = limiter(Objects.requireNonNull(part));
        assertEquals(1, drain(limiter, "a"));
        time.advance(Duration.ofMillis(399));
        assertEquals(0, drain(limiter, "a"));
        time.advance(Duration.ofMillis(1));
        assertEquals(1, drain(limiter, "a"));
        assertNull(LocalRates.of(Pacer.of(10, SECOND), new Place(1, 4)));
    }

    @Test
    void aBanHasItsPartAndItsTime() {
        Ban ban = new Ban(LeakyBucket.of(6, SECOND).withBurst(5), Duration.ofMinutes(10));
        ManagedLimiter limiter = limiter(Objects.requireNonNull(LocalRates.of(ban, new Place(0, 2))));
        assertEquals(3, drain(limiter, "a"));
        time.advance(Duration.ofMinutes(9));
        assertEquals(0, drain(limiter, "a"));
        time.advance(Duration.ofMinutes(1));
        assertEquals(3, drain(limiter, "a"));
    }

    @Test
    void noKeyIsAKeyToo() {
        ManagedLimiter limiter = limiter(Objects.requireNonNull(LocalRates.of(TEN.get(0), new Place(0, 2))));
        assertEquals(5, drain(limiter, null));
        assertEquals(0, drain(limiter, ""));
        assertEquals(5, drain(limiter, "a"));
        assertEquals(5, drain(limiter, "b"));
    }

    @Test
    void K1_D7_anotherPlaceKeepsWhatWasUsed() {
        for (StrategySpec spec : TEN) {
            ManagedLimiter limiter = limiter(Objects.requireNonNull(LocalRates.of(spec, new Place(0, 2))));
            assertEquals(5, drain(limiter, "a"));
            limiter.reconfigure(Objects.requireNonNull(LocalRates.of(spec, new Place(0, 1))));
            long more = drain(limiter, "a");
            assertTrue(more <= 5, () -> spec + ": " + more);
            limiter.reconfigure(Objects.requireNonNull(LocalRates.of(spec, new Place(0, 2))));
            assertEquals(0, drain(limiter, "a"), spec::toString);
        }
    }

    @Test
    void whatIsNotCountedHasNoPart() {
        assertThrows(IllegalArgumentException.class, () -> LocalRates.of(new Semaphore(1), new Place(0, 1)));
    }
}
