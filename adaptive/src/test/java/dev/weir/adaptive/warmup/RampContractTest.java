package dev.weir.adaptive.warmup;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.contract.ControllerBench;
import dev.weir.adaptive.contract.ControllerContract;
import java.time.Duration;
import java.util.Set;

class RampContractTest extends ControllerContract {
    /** It moves by time alone, and ends where there is no room for long calls. */
    @Override
    protected Set<Promise> broken() {
        return Set.of(Promise.MIXED_CALLS);
    }

    @Override
    protected Controller controller() {
        return Ramp.to(ControllerBench.WORKERS, Duration.ofSeconds(60));
    }

    /** It has moved to its end by itself. */
    @Override
    protected double rest() {
        return 50;
    }
}
