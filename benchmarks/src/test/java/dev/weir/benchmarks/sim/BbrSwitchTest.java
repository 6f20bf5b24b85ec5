package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BbrSwitchTest {
    private static final long SECOND = 1_000_000_000;

    private static Window window(long at, long completed, double millis, double cpu) {
        return Window.lasting(100_000_000, 50)
                .at(at)
                .ended(completed, 0, 0)
                .latencies(Latencies.of(Math.round(millis * 1e6)), Latencies.NONE)
                .signal("cpu", cpu)
                .build();
    }

    @ParameterizedTest
    @CsvSource({
        "0.80, 20", // 2000/s x 10 ms
        "1.00, 20",
        "0.79, 9223372036854775807",
        "0.00, 9223372036854775807",
        "NaN, 50",
        "-0.1, 50",
        "1.1, 50",
        "Infinity, 50",
    })
    void itOpensAndShutsWithTheCpu(double cpu, long answer) {
        BbrSwitch bbr = new BbrSwitch();
        bbr.next(window(0, 200, 20, 0.5), 50);
        assertEquals(answer, bbr.next(window(SECOND, 100, 10, cpu), 50));
    }

    @Test
    void windowsCountForTenSeconds() {
        BbrSwitch bbr = new BbrSwitch();
        bbr.next(window(Long.MAX_VALUE, 200, 20, 0.5), 50);
        bbr.next(window(Long.MAX_VALUE + 5 * SECOND, 100, 10, 0.5), 50);
        long end = Long.MAX_VALUE + 10 * SECOND;
        assertEquals(20, bbr.next(window(end - 1, 100, 15, 0.9), 50)); // 2000/s x 10 ms
        assertEquals("bbr: cpu at 90 %, 2000/s of 10000 us", bbr.why());
        assertEquals(10, bbr.next(window(end, 100, 15, 0.9), 50)); // 1000/s x 10 ms
        assertEquals(15, bbr.next(window(end + 9 * SECOND, 100, 15, 0.9), 50));
    }

    @Test
    void withoutLatenciesItStaysAndAnswersAtLeastOne() {
        BbrSwitch bbr = new BbrSwitch();
        assertEquals(50, bbr.next(window(0, 0, 10, 0.9), 50));
        assertEquals(1, bbr.next(window(0, 1, 1, 0.9), 50)); // 10/s x 1 ms
    }

    @Test
    void itConfirmsWhateverQueueItFinds() {
        BbrSwitch bbr = new BbrSwitch();
        long limit = 200;
        for (int slice = 1; slice <= 1000; slice++) {
            limit = bbr.next(window(slice * SECOND / 10, 200, limit / 2.0, 1), limit); // 20 workers that take 10 ms
        }
        assertEquals(200, limit); // 2000/s x 100 ms, ten times the knee
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 1.01, Double.NaN})
    void theThresholdIsAShare(double bad) {
        assertEquals(
                "threshold must be > 0 and <= 1, was " + bad,
                assertThrows(IllegalArgumentException.class, () -> new BbrSwitch(bad))
                        .getMessage());
    }
}
