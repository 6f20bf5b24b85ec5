package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CapacityPlanTest {

    @ParameterizedTest
    @CsvSource({
        // 3,000,000 / 86,400 = 34.7; 2,400,000 / 17,280 = 138.9; 139 / 58 = 2.4
        "3000000, 86400, 4, 58, 35, 139, 3",
        // 10,000,000 / 40,000 = 250; * 2.5 = 625; 625 / 125 = 5 exactly
        "10000000, 40000, 2.5, 125, 250, 625, 5",
        // 100 * 1.1 / 10 = 11 exactly; 100 * 1.1 is 110.00000000000001 as a double product
        "100, 10, 1.1, 11, 10, 11, 1",
        // the least there is: 1 / 86,400 of a request a second
        "1, 86400, 1, 1, 1, 1, 1",
    })
    void computesRatesAndMachines(
            long requests, long seconds, double peak, long perMachine, long average, long peakQps, long machines) {
        CapacityPlan plan =
                CapacityPlan.of(requests).within(Duration.ofSeconds(seconds)).withPeak(peak);

        assertEquals(average, plan.averageQps());
        assertEquals(peakQps, plan.peakQps());
        assertEquals(machines, plan.machines(perMachine));
    }

    @Test
    void paretosRuleIsFourTimesTheAverage() {
        assertEquals(4, CapacityPlan.peakFactor(0.8, 0.2));
        assertEquals(1, CapacityPlan.peakFactor(1, 1));
    }

    @ParameterizedTest
    @CsvSource({
        "139, 200, 28", // 139 * 0.2 = 27.8
        "58, 200, 12", // 58 * 0.2 = 11.6
        "1000, 5, 5", // exactly 5, not 6
        "1, 1, 1",
    })
    void littlesLaw(long qps, long millis, long inFlight) {
        assertEquals(inFlight, CapacityPlan.concurrency(qps, Duration.ofMillis(millis)));
    }

    @Test
    void saturatesInsteadOfOverflowing() {
        CapacityPlan max = new CapacityPlan(Long.MAX_VALUE, Duration.ofNanos(1), Double.MAX_VALUE);

        assertEquals(Long.MAX_VALUE, max.averageQps());
        assertEquals(Long.MAX_VALUE, max.peakQps());
        assertEquals(Long.MAX_VALUE, max.machines(1));
        assertEquals(Long.MAX_VALUE, CapacityPlan.concurrency(Long.MAX_VALUE, Duration.ofDays(1)));
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, 0.99, 0, -1})
    void refusesAPeakBelowTheAverage(double factor) {
        CapacityPlan plan = CapacityPlan.of(1);

        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> plan.withPeak(factor));
        assertEquals("peakFactor must be >= 1 and finite, was " + factor, e.getMessage());
    }

    @Test
    void refusesInvalidArguments() {
        CapacityPlan plan = CapacityPlan.of(1);

        assertThrows(IllegalArgumentException.class, () -> CapacityPlan.of(0));
        assertThrows(IllegalArgumentException.class, () -> plan.within(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> plan.within(Duration.ofSeconds(86_401)));
        assertThrows(IllegalArgumentException.class, () -> plan.machines(0));
        assertThrows(IllegalArgumentException.class, () -> CapacityPlan.peakFactor(0.2, 0.8));
        assertThrows(IllegalArgumentException.class, () -> CapacityPlan.peakFactor(1.1, 0.8));
        assertThrows(IllegalArgumentException.class, () -> CapacityPlan.peakFactor(Double.NaN, 0.8));
        assertThrows(IllegalArgumentException.class, () -> CapacityPlan.peakFactor(0.8, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> CapacityPlan.concurrency(0, Duration.ofSeconds(1)));
        assertThrows(IllegalArgumentException.class, () -> CapacityPlan.concurrency(1, Duration.ofSeconds(-1)));
    }
}
