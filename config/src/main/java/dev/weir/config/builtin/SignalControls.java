package dev.weir.config.builtin;

import static dev.weir.config.builtin.Fields.SAFE;

import com.google.auto.service.AutoService;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.controller.LoadGuard;
import dev.weir.adaptive.controller.QueueDelayPid;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.factory.ControllerFactory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.Values;
import java.time.Duration;
import java.util.List;

/** The controllers that follow a signal. */
public final class SignalControls {
    private static final Field<String> SIGNAL = Field.text("signal")
            .describedAs(
                    "The name of the signal: one of the list signals, or queue-delay, the delay of the limit's own queue.");

    private SignalControls() {}

    /** The factory of {@link LoadGuard}. */
    @AutoService(ControllerFactory.class)
    public static final class LoadGuardFactory implements ControllerFactory {
        private static final Field<String> GUARDED = SIGNAL.needed();
        private static final Field<Double> LOW = Field.number("low")
                .describedAs("The load below which the limit rises, more than 0.")
                .atLeast(0.0)
                .orElse(0.7);
        private static final Field<Double> HIGH = Field.number("high")
                .describedAs("The load above which the limit falls, more than low.")
                .atLeast(0.0)
                .orElse(0.85);
        private static final Field<Double> TARGET = Field.number("target")
                .describedAs("The load that a lowered limit aims at, from low to high. Default: the middle.")
                .atLeast(0.0);
        private static final Field<Long> KEPT_WINDOWS = Field.count("kept-windows")
                .describedAs("The number of windows without a reading in which the limit stays.")
                .atLeast(0L)
                .atMost((long) Integer.MAX_VALUE)
                .orElse(5L);
        private static final Field<Duration> WINDOW = Field.duration("window")
                .describedAs("The shortest window; that of the readings of the signal fits.")
                .atLeast(Duration.ofNanos(1))
                .orElse(Duration.ofMillis(500));

        @Override
        public String name() {
            return "load-guard";
        }

        @Override
        public String description() {
            return "Keeps a load, such as of the CPU, below a maximum.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(GUARDED, LOW, HIGH, TARGET, SAFE, KEPT_WINDOWS, WINDOW);
        }

        @Override
        public Controller create(Values values) {
            LoadGuard.Builder guard = LoadGuard.builder(values.get(GUARDED))
                    .between(values.get(LOW), values.get(HIGH))
                    .safe(values.get(SAFE))
                    .keepFor(Math.toIntExact(values.get(KEPT_WINDOWS)))
                    .every(values.get(WINDOW));
            values.find(TARGET).ifPresent(guard::target);
            return guard.build();
        }
    }

    /** The factory of {@link QueueDelayPid}. */
    @AutoService(ControllerFactory.class)
    public static final class QueueDelayPidFactory implements ControllerFactory {
        private static final double MOST_GAIN = 1e6;
        private static final Field<String> DELAY = SIGNAL.orElse(LimitPlan.Adaptive.QUEUE_DELAY);
        private static final Field<Duration> TARGET = Fields.time("target")
                .describedAs("The delay to hold; the signal is in seconds.")
                .needed();
        private static final Field<Double> PROPORTIONAL = gain("proportional", QueueDelayPid.Gains.USUAL.proportional())
                .describedAs("How strongly it acts against a change of the delay.");
        private static final Field<Double> INTEGRAL = gain("integral", QueueDelayPid.Gains.USUAL.integral())
                .describedAs("How strongly it acts as long as the delay is off its target, more than 0.");
        private static final Field<Double> DERIVATIVE = gain("derivative", QueueDelayPid.Gains.USUAL.derivative())
                .describedAs("How strongly it acts against a delay that changes faster and faster.");

        private static Field<Double> gain(String name, double usual) {
            return Field.number(name).atLeast(0.0).atMost(MOST_GAIN).orElse(usual);
        }

        @Override
        public String name() {
            return "queue-delay-pid";
        }

        @Override
        public String description() {
            return "Holds the delay of a queue at a target.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(DELAY, TARGET, PROPORTIONAL, INTEGRAL, DERIVATIVE, SAFE);
        }

        @Override
        public Controller create(Values values) {
            QueueDelayPid.Gains gains =
                    new QueueDelayPid.Gains(values.get(PROPORTIONAL), values.get(INTEGRAL), values.get(DERIVATIVE));
            double target = values.get(TARGET).toNanos() / 1e9;
            return new QueueDelayPid(values.get(DELAY), target, gains, values.get(SAFE));
        }
    }
}
