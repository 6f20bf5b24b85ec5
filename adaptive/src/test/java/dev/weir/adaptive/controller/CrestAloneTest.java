package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.contract.ControllerContract;

class CrestAloneTest extends ControllerContract {
    @Override
    protected Controller controller() {
        return Crest.alone();
    }

    @Override
    protected double[] knee() {
        return new double[] {0.9, 2};
    }
}
