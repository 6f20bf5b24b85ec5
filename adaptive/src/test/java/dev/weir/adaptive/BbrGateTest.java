package dev.weir.adaptive;

import static dev.weir.adaptive.Windows.busy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BbrGateTest extends ControllerContract {
    private static final long SECOND = 1_000_000_000;

    /** Without a reading of the CPU it stays where it is. */
    @Override
    protected Set<Promise> broken() {
        return Set.of(Promise.ANY_START);
    }

    @Override
    protected Controller controller() {
        return new BbrGate();
    }

    private static Window window(long at, long completed, double millis, double cpu) {
        return busy(50, millis).at(at).ended(completed, 0, 0).signal("cpu", cpu).build();
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
        BbrGate gate = new BbrGate();
        gate.next(window(0, 200, 20, 0.5), 50);
        assertEquals(answer, gate.next(window(SECOND, 100, 10, cpu), 50));
    }

    @Test
    void windowsCountForTenSeconds() {
        BbrGate gate = new BbrGate();
        gate.next(window(Long.MAX_VALUE, 200, 20, 0.5), 50);
        gate.next(window(Long.MAX_VALUE + 5 * SECOND, 100, 10, 0.5), 50);
        long end = Long.MAX_VALUE + 10 * SECOND;
        assertEquals(20, gate.next(window(end - 1, 100, 15, 0.9), 50)); // 2000/s x 10 ms
        assertEquals("bbr: cpu at 90 %, 2000/s of 10000 us", gate.why());
        assertEquals(10, gate.next(window(end, 100, 15, 0.9), 50)); // 1000/s x 10 ms
        assertEquals(15, gate.next(window(end + 9 * SECOND, 100, 15, 0.9), 50));
    }

    @Test
    void withoutLatenciesItStaysAndAnswersAtLeastOne() {
        BbrGate gate = new BbrGate();
        assertEquals(50, gate.next(window(0, 0, 10, 0.9), 50));
        assertEquals(1, gate.next(window(0, 1, 1, 0.9), 50)); // 10/s x 1 ms
    }

    @Test
    void itConfirmsWhateverQueueItFinds() {
        ControllerBench bench = new ControllerBench(new BbrGate(), use -> java.util.Map.of("cpu", use), 200);
        bench.serve(1000);
        assertEquals(200, bench.limit); // 2000/s x 100 ms, ten times the knee
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 1.01, Double.NaN})
    void theThresholdIsAShare(double bad) {
        assertEquals(
                "threshold must be > 0 and <= 1, was " + bad,
                assertThrows(IllegalArgumentException.class, () -> new BbrGate(bad))
                        .getMessage());
    }
}
