package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class InstanceShareTest {
    @Test
    void instancesAreSpreadEvenly() {
        int[] tenths = new int[10];
        for (int i = 0; i < 10_000; i++) {
            tenths[(int) (InstanceShare.of("pod-" + i, "checkout") / 10)]++;
        }
        for (int tenth : tenths) {
            assertTrue(tenth > 850 && tenth < 1150, () -> Arrays.toString(tenths));
        }
    }
}
