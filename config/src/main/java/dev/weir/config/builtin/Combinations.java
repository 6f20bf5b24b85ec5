package dev.weir.config.builtin;

import com.google.auto.service.AutoService;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.controller.Min;
import dev.weir.adaptive.warmup.Ramp;
import dev.weir.config.factory.ControllerFactory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.config.factory.Values;
import dev.weir.spi.RampCurve;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The controllers of controllers. */
public final class Combinations {
    private Combinations() {}

    /** The factory of {@link Min}. */
    @AutoService(ControllerFactory.class)
    public static final class MinFactory implements ControllerFactory {
        private static final Field<List<Controller>> OF = Field.list("of", new ValueType.Named<>(Controller.class))
                .describedAs("The controllers, at least one.")
                .needed();

        @Override
        public String name() {
            return "min";
        }

        @Override
        public String description() {
            return "The lowest limit of several controllers.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(OF);
        }

        @Override
        public Controller create(Values values) {
            List<Controller> members = values.get(OF);
            if (members.isEmpty()) {
                throw new IllegalArgumentException("of must have at least one controller, had none");
            }
            List<Controller> others = members.subList(1, members.size());
            return Min.of(members.get(0), others.toArray(Controller[]::new));
        }
    }

    /** The factory of {@link Ramp}. */
    @AutoService(ControllerFactory.class)
    public static final class RampFactory implements ControllerFactory {
        private static final Field<Long> LIMIT =
                Field.count("limit").describedAs("The full limit.").needed();
        private static final Field<Duration> PERIOD = Field.duration("period")
                .describedAs("How long the rise takes.")
                .atLeast(Duration.ofNanos(1))
                .needed();
        private static final Field<RampCurve> CURVE = Field.choice("curve", RampCurve.class)
                .describedAs("The shape of the rise.")
                .orElse(RampCurve.LINEAR);
        private static final Field<Double> FROM = Field.share("from")
                .describedAs("The share of the full limit to start from, more than 0.")
                .orElse(0.1);
        private static final Field<Controller> BEFORE = Field.named("before", Controller.class)
                .describedAs(
                        "The controller that may lower the limit meanwhile, and decides it afterwards. Default: none.");
        private static final Field<Double> HEALTHY_FACTOR = Field.number("healthy-factor")
                .describedAs(
                        "Ends early when latencies are at most this many times the healthy one. Default: it does not.")
                .atLeast(1.0);
        private static final Field<Long> HEALTHY_WINDOWS = Field.count("healthy-windows")
                .describedAs("In how many windows in a row latencies must be healthy. Only with healthy-factor.")
                .atMost((long) Integer.MAX_VALUE);
        private static final Field<Duration> HEALTHY_LATENCY = Field.duration("healthy-latency")
                .describedAs("The healthy latency. Only with healthy-factor. Default: that of the process before.")
                .atLeast(Duration.ofNanos(1));
        private static final Field<Duration> COOL_AFTER_IDLE = Field.duration("cool-after-idle")
                .describedAs("Starts over after so long without requests. Default: never.")
                .atLeast(Duration.ofSeconds(10));

        @Override
        public String name() {
            return "ramp";
        }

        @Override
        public String description() {
            return "Limits a cold start: the limit rises over a period, and is that of another controller afterwards.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(
                    LIMIT,
                    PERIOD,
                    CURVE,
                    FROM,
                    BEFORE,
                    HEALTHY_FACTOR,
                    HEALTHY_WINDOWS,
                    HEALTHY_LATENCY,
                    COOL_AFTER_IDLE);
        }

        @Override
        public Controller create(Values values) {
            Ramp.Builder ramp = Ramp.builder(values.get(LIMIT), values.get(PERIOD))
                    .along(values.get(CURVE))
                    .from(values.get(FROM));
            values.find(BEFORE).ifPresent(ramp::before);
            values.find(COOL_AFTER_IDLE).ifPresent(ramp::coolAfterIdle);
            endEarly(ramp, values);
            return ramp.build();
        }

        private static void endEarly(Ramp.Builder ramp, Values values) {
            Optional<Double> factor = values.find(HEALTHY_FACTOR);
            Optional<Long> windows = values.find(HEALTHY_WINDOWS);
            Optional<Duration> latency = values.find(HEALTHY_LATENCY);
            if (factor.isPresent() != windows.isPresent() || (latency.isPresent() && factor.isEmpty())) {
                throw new IllegalArgumentException(
                        "healthy-factor and healthy-windows must be given together, and healthy-latency only with them");
            }
            if (factor.isPresent() && latency.isPresent()) {
                ramp.unlessHealthy(latency.get(), factor.get(), Math.toIntExact(windows.orElseThrow()));
            } else if (factor.isPresent()) {
                ramp.unlessHealthyAsBefore(factor.get(), Math.toIntExact(windows.orElseThrow()));
            }
        }
    }
}
