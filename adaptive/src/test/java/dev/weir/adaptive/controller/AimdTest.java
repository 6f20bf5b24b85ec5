package dev.weir.adaptive.controller;

import static dev.weir.adaptive.contract.Windows.busy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.ControllerContract;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AimdTest extends ControllerContract {
    /** Each loss lowers it. */
    @Override
    protected Set<Promise> broken() {
        return Set.of(Promise.DROPS_THAT_NO_LIMIT_CURES);
    }

    @Override
    protected Controller controller() {
        return new Aimd();
    }

    @ParameterizedTest
    @CsvSource({
        "20,  20, 0, 0, 21", // 20 + 20/20
        "20,  50, 0, 0, 22", // 20 + 50/20 = 22.5
        " 1,   1, 0, 0,  2",
        "20,   0, 0, 0, 20",
        "20, 500, 1, 0, 18", // 0.9 x 20, whatever succeeded
        "20, 500, 9, 9, 18", // once a window
        "20, 500, 0, 1, 18",
        " 1,   0, 5, 0,  1",
    })
    void oneStep(long limit, long completed, long dropped, long hung, long answer) {
        Window window = busy(limit, 10).ended(completed, dropped, 0).hung(hung).build();
        assertEquals(answer, new Aimd().next(window, limit));
    }

    @Test
    void fractionsAddUpUntilAnotherHandMovesTheLimit() {
        Aimd aimd = new Aimd();
        assertEquals(20, aimd.next(succeeded(10), 20)); // 20.5
        assertEquals(20, aimd.next(succeeded(10), 20)); // 20.5 + 10/20.5 = 20.99
        assertEquals(21, aimd.next(succeeded(10), 20)); // 20.99 + 10/20.99 = 21.46
        assertEquals(19, aimd.next(busy(21, 10).ended(9, 3, 0).build(), 21)); // 0.9 x 21.46 = 19.32
        assertEquals("aimd: 3 lost", aimd.why());
        assertEquals(42, aimd.next(succeeded(80), 40)); // 40 + 80/40
    }

    private static Window succeeded(long count) {
        return busy(20, 10).ended(count, 0, 0).build();
    }

    @Test
    void aHangingCallIsOneLoss() {
        Aimd aimd = new Aimd();
        Window one = busy(100, 10).ended(0, 0, 0).hung(1).build();
        assertEquals(90, aimd.next(one, 100));
        assertEquals(90, aimd.next(one, 90));
        assertEquals(81, aimd.next(busy(90, 10).ended(0, 0, 0).hung(2).build(), 90));
        assertEquals(81, aimd.next(one, 81));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1, -1, 2, Double.NaN})
    void theBackoffIsAShare(double bad) {
        assertEquals(
                "backoff must be > 0 and < 1, was " + bad,
                assertThrows(IllegalArgumentException.class, () -> new Aimd(bad))
                        .getMessage());
    }
}
