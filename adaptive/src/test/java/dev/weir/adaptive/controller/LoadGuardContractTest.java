package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.contract.ControllerContract;
import java.util.Map;

class LoadGuardContractTest extends ControllerContract {
    @Override
    protected Controller controller() {
        return LoadGuard.builder("cpu").safe(10).build();
    }

    @Override
    protected Map<String, Double> signals(double use) {
        return Map.of("cpu", use);
    }
}
