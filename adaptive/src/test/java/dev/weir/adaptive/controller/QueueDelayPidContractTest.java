package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.contract.ControllerContract;
import java.util.Map;

class QueueDelayPidContractTest extends ControllerContract {
    @Override
    protected Controller controller() {
        return new QueueDelayPid("queue delay", 0.02);
    }

    @Override
    protected Map<String, Double> signals(double use) {
        return Map.of("queue delay", use < 1 ? 0 : 0.04);
    }
}
