package dev.weir.adaptive.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WarmUpWeightsTest {
    private static final Instant STARTED = Instant.parse("2026-03-01T10:00:00Z");
    private final WarmUpWeights weights = new WarmUpWeights(Duration.ofSeconds(100));

    @ParameterizedTest
    @CsvSource({"-5, 1", "0, 1", "1, 1", "2, 2", "15, 15", "99, 99", "100, 100", "1000000000, 100"})
    void theWeightIsTheAgeInPerCentOfThePeriod(long second, long weight) {
        assertEquals(weight, weights.weight(STARTED, STARTED.plusSeconds(second)));
    }

    @Test
    void theTotalIsThatOfTheOthersAndItsOwn() {
        assertEquals(315, WarmUpWeights.total(4, 15));
        assertEquals(15.0 / 315, WarmUpWeights.share(4, 15));
        assertEquals(0.25, WarmUpWeights.share(4, 100));
    }

    @Test
    void anOnlyInstanceHasItAll() {
        assertEquals(1, WarmUpWeights.share(1, 1));
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThrows(IllegalArgumentException.class, () -> new WarmUpWeights(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> WarmUpWeights.total(0, 1));
        assertThrows(IllegalArgumentException.class, () -> WarmUpWeights.total(1, 0));
        assertThrows(IllegalArgumentException.class, () -> WarmUpWeights.total(1, 101));
    }
}
