package dev.weir.adaptive;

import java.time.Duration;

class RampContractTest extends ControllerContract {
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
