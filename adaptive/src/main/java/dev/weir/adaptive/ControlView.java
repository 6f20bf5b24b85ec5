package dev.weir.adaptive;

/** An adaptive control as those see it who only read it: meters, consoles, logs. Thread-safe. */
@FunctionalInterface
public interface ControlView {
    /** The state of this instant; it names the limiter. */
    ControlSnapshot snapshot();

    /** A view for code that must not change the control: no cast gives the control. */
    static ControlView of(ControlView control) {
        return new ControlView() {
            @Override
            public ControlSnapshot snapshot() {
                return control.snapshot();
            }
        };
    }
}
