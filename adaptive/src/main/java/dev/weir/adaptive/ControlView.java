package dev.weir.adaptive;

import java.util.Map;

/** An adaptive control as those see it who only read it: meters, consoles, logs. Thread-safe. */
@FunctionalInterface
public interface ControlView {
    /** The state of this instant; it names the limiter. */
    ControlSnapshot snapshot();

    /** Values learned of the server, by name, as {@link AdaptiveControl#learned} lists them. Default: none. */
    default Map<String, Double> learned() {
        return Map.of();
    }

    /** A view for code that must not change the control: no cast gives the control. */
    static ControlView of(ControlView control) {
        return new ControlView() {
            @Override
            public ControlSnapshot snapshot() {
                return control.snapshot();
            }

            @Override
            public Map<String, Double> learned() {
                return control.learned();
            }
        };
    }
}
