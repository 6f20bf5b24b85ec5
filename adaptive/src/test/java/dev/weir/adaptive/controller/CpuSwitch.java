package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;

/** No limit while the CPU is below four fifths; above that, and without a reading, the limit stays. */
final class CpuSwitch implements Controller {
    @Override
    public long next(Window window, long limit) {
        return window.signal("cpu").orElse(1) < 0.8 ? Long.MAX_VALUE : Math.max(1, limit);
    }

    @Override
    public String why() {
        return "cpu switch";
    }
}
