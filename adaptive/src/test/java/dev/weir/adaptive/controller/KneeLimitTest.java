package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KneeLimitTest {
    @ParameterizedTest
    @CsvSource({
        "1, 2.8", // 1 + 1.8
        "16, 23.2", // 16 + 1.8 * 4
        "51.84, 64.8", // where both are equal: 7.2 squared
        "100, 125",
        "1000, 1250"
    })
    void roomIsAQuarterOrBySquareRootStaffing(double knee, double limit) {
        assertEquals(limit, KneeLimit.of(knee), 1e-9);
        assertEquals(knee, KneeLimit.knee(limit), 1e-9);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.1, 3, 51, 53, 1e6, 1e9})
    void eachIsTheInverseOfTheOther(double value) {
        assertEquals(value, KneeLimit.knee(KneeLimit.of(value)), 1e-9 * Math.max(1, value));
        assertEquals(value, KneeLimit.of(KneeLimit.knee(value)), 1e-9 * Math.max(1, value));
    }
}
