package dev.weir.adaptive;

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
