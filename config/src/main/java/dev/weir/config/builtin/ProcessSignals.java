package dev.weir.config.builtin;

import dev.weir.adaptive.Signal;
import dev.weir.adaptive.signal.Signals;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.Values;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The names of the signals of the process and its host. */
final class ProcessSignals {
    private static final Field<Duration> SMOOTHED = Field.duration("smoothed")
            .describedAs("The time in which nine tenths of a step are reached. Default: readings as they are.")
            .atLeast(Duration.ofNanos(1));
    private static final Field<Double> RELEASE =
            Field.number("release").describedAs("The reading at which a falling grade is 0 again. Default: low.");
    private static final Field<Double> LOW = Field.number("low")
            .describedAs("Grades readings: that up to which a rising grade is 0. Default: readings as they are.");
    private static final Field<Double> HIGH =
            Field.number("high").describedAs("The reading from which the grade is 1, more than low. Only with low.");

    private static final List<Field<?>> FIELDS = List.of(SMOOTHED, RELEASE, LOW, HIGH);

    static final List<Entry<Signal>> ALL = List.of(
            entry("cpu", "The CPU time as a share of what the process may use.", Signals::cpu),
            entry("memory", "The memory in use as a share of what the process may use.", Signals::memory),
            entry("gc", "The share of the time in which garbage collectors stopped the process.", Signals::gc),
            entry(
                    "pressure",
                    "The share of the last 10 s in which some thread of the host had no CPU.",
                    Signals::pressure),
            entry("throttled", "The share of periods in which a CPU quota stopped the process.", Signals::throttled));

    private ProcessSignals() {}

    private static Entry<Signal> entry(String name, String description, Supplier<Signal> signal) {
        return new Entry<>(name, description, FIELDS, values -> shaped(signal.get(), values));
    }

    private static Signal shaped(Signal signal, Values values) {
        Signal smooth = values.find(SMOOTHED)
                .map(within -> Signals.smoothed(signal, within))
                .orElse(signal);
        Optional<Double> low = values.find(LOW);
        Optional<Double> high = values.find(HIGH);
        Optional<Double> release = values.find(RELEASE);
        if (low.isPresent() != high.isPresent() || (release.isPresent() && low.isEmpty())) {
            throw new IllegalArgumentException("low and high must be given together, and release only with them");
        }
        return low.isEmpty()
                ? smooth
                : Signals.graded(smooth, release.orElse(low.get()), low.get(), high.orElseThrow());
    }
}
