package dev.weir.config.builtin;

import com.google.auto.service.AutoService;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.controller.Aimd;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.controller.EnvoyGradient;
import dev.weir.adaptive.controller.Gradient2;
import dev.weir.adaptive.controller.Vegas;
import dev.weir.config.factory.ControllerFactory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.Values;
import java.time.Duration;
import java.util.List;

/** The controllers that find a limit by latency, losses or throughput. */
public final class LimitSearches {
    private static final Field<Long> SEED = Field.count("seed")
            .describedAs("Instances with different seeds do not measure at the same time.")
            .orElse(0x5EEDL);

    private LimitSearches() {}

    /** The factory of {@link Crest}. */
    @AutoService(ControllerFactory.class)
    public static final class CrestFactory implements ControllerFactory {
        @Override
        public String name() {
            return "crest";
        }

        @Override
        public String description() {
            return "Finds the limit above which throughput no longer grows. The default.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of();
        }

        @Override
        public Controller create(Values values) {
            return new Crest();
        }
    }

    /** The factory of {@link Aimd}. */
    @AutoService(ControllerFactory.class)
    public static final class AimdFactory implements ControllerFactory {
        private static final Field<Double> BACKOFF = Field.share("backoff")
                .describedAs("The factor by which losses lower the limit, more than 0 and less than 1.")
                .orElse(0.9);

        @Override
        public String name() {
            return "aimd";
        }

        @Override
        public String description() {
            return "Raises the limit a little while calls succeed, and lowers it by a factor when calls are lost.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(BACKOFF);
        }

        @Override
        public Controller create(Values values) {
            return new Aimd(values.get(BACKOFF));
        }
    }

    /** The factory of {@link Vegas}. */
    @AutoService(ControllerFactory.class)
    public static final class VegasFactory implements ControllerFactory {
        @Override
        public String name() {
            return "vegas";
        }

        @Override
        public String description() {
            return "Holds a small queue, estimated by latency.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(SEED);
        }

        @Override
        public Controller create(Values values) {
            return new Vegas(values.get(SEED));
        }
    }

    /** The factory of {@link Gradient2}. */
    @AutoService(ControllerFactory.class)
    public static final class Gradient2Factory implements ControllerFactory {
        private static final Field<Double> TOLERANCE = Field.number("tolerance")
                .describedAs("How many times the average latency is tolerated.")
                .atLeast(1.0)
                .orElse(1.5);

        @Override
        public String name() {
            return "gradient2";
        }

        @Override
        public String description() {
            return "Follows the ratio of the average latency and the current one, as Netflix's concurrency-limits.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(TOLERANCE);
        }

        @Override
        public Controller create(Values values) {
            return new Gradient2(values.get(TOLERANCE));
        }
    }

    /** The factory of {@link EnvoyGradient}. */
    @AutoService(ControllerFactory.class)
    public static final class EnvoyGradientFactory implements ControllerFactory {
        private static final Field<Duration> PERIOD = Field.duration("period")
                .describedAs("How often the latency without load is measured.")
                .atLeast(Duration.ofSeconds(1))
                .orElse(Duration.ofMinutes(1));

        @Override
        public String name() {
            return "envoy-gradient";
        }

        @Override
        public String description() {
            return "Follows the ratio of the latency without load and the current one, as Envoy.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(PERIOD, SEED);
        }

        @Override
        public Controller create(Values values) {
            return new EnvoyGradient(values.get(PERIOD), values.get(SEED));
        }
    }
}
