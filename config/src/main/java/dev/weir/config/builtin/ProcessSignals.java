package dev.weir.config.builtin;

import com.google.auto.service.AutoService;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.signal.Signals;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.SignalFactory;
import dev.weir.config.factory.Values;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The signals of the process and its host. */
public final class ProcessSignals {
    private static final Field<Duration> SMOOTHED = Field.duration("smoothed")
            .describedAs("The time in which nine tenths of a step are reached. Default: readings as they are.")
            .atLeast(Duration.ofNanos(1));
    private static final Field<Double> RELEASE =
            Field.number("release").describedAs("The reading at which a falling grade is 0 again. Default: low.");
    private static final Field<Double> LOW = Field.number("low")
            .describedAs("Grades readings: that up to which a rising grade is 0. Default: readings as they are.");
    private static final Field<Double> HIGH =
            Field.number("high").describedAs("The reading from which the grade is 1, more than low. Only with low.");

    private ProcessSignals() {}

    private static List<Field<?>> shape() {
        return List.of(SMOOTHED, RELEASE, LOW, HIGH);
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

    /** The factory of {@link Signals#cpu()}. */
    @AutoService(SignalFactory.class)
    public static final class CpuFactory implements SignalFactory {
        @Override
        public String name() {
            return "cpu";
        }

        @Override
        public String description() {
            return "The CPU time as a share of what the process may use.";
        }

        @Override
        public List<Field<?>> fields() {
            return shape();
        }

        @Override
        public Signal create(Values values) {
            return shaped(Signals.cpu(), values);
        }
    }

    /** The factory of {@link Signals#memory()}. */
    @AutoService(SignalFactory.class)
    public static final class MemoryFactory implements SignalFactory {
        @Override
        public String name() {
            return "memory";
        }

        @Override
        public String description() {
            return "The memory in use as a share of what the process may use.";
        }

        @Override
        public List<Field<?>> fields() {
            return shape();
        }

        @Override
        public Signal create(Values values) {
            return shaped(Signals.memory(), values);
        }
    }

    /** The factory of {@link Signals#gc()}. */
    @AutoService(SignalFactory.class)
    public static final class GcFactory implements SignalFactory {
        @Override
        public String name() {
            return "gc";
        }

        @Override
        public String description() {
            return "The share of the time in which garbage collectors stopped the process.";
        }

        @Override
        public List<Field<?>> fields() {
            return shape();
        }

        @Override
        public Signal create(Values values) {
            return shaped(Signals.gc(), values);
        }
    }

    /** The factory of {@link Signals#pressure()}. */
    @AutoService(SignalFactory.class)
    public static final class PressureFactory implements SignalFactory {
        @Override
        public String name() {
            return "pressure";
        }

        @Override
        public String description() {
            return "The share of the last 10 s in which some thread of the host had no CPU.";
        }

        @Override
        public List<Field<?>> fields() {
            return shape();
        }

        @Override
        public Signal create(Values values) {
            return shaped(Signals.pressure(), values);
        }
    }

    /** The factory of {@link Signals#throttled()}. */
    @AutoService(SignalFactory.class)
    public static final class ThrottledFactory implements SignalFactory {
        @Override
        public String name() {
            return "throttled";
        }

        @Override
        public String description() {
            return "The share of periods in which a CPU quota stopped the process.";
        }

        @Override
        public List<Field<?>> fields() {
            return shape();
        }

        @Override
        public Signal create(Values values) {
            return shaped(Signals.throttled(), values);
        }
    }
}
