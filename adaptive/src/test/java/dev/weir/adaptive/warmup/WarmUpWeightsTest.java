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
    void refusesWhatMakesNoSense() {
        assertThrows(IllegalArgumentException.class, () -> new WarmUpWeights(Duration.ZERO));
    }
}
