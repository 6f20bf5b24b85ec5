package dev.weir.config.builtin;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.controller.Aimd;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.controller.EnvoyGradient;
import dev.weir.adaptive.controller.Gradient2;
import dev.weir.adaptive.controller.LoadGuard;
import dev.weir.adaptive.controller.Min;
import dev.weir.adaptive.controller.QueueDelayPid;
import dev.weir.adaptive.controller.QueueDelayPid.Gains;
import dev.weir.adaptive.controller.Vegas;
import dev.weir.adaptive.warmup.Ramp;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.config.factory.Values;
import dev.weir.named.plan.LimitPlan.Adaptive;
import dev.weir.spi.RampCurve;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The names of controllers. */
final class Controllers {
    private static final double MOST_GAIN = 1e6;

    private static final Field<Long> INSTANCES = Field.count("instances")
            .describedAs(
                    "How many instances there are before the same server; 1 = only this one. Default: right for any number.");
    /** The events that lower the limit of {@code aimd}. */
    private enum By {
        LOSSES,
        REJECTIONS
    }

    private static final Field<Double> BACKOFF = Field.share("backoff")
            .describedAs("The factor by which losses lower the limit, more than 0 and less than 1.")
            .orElse(0.9);
    private static final Field<By> BY = Field.choice("by", By.class)
            .describedAs("What lowers the limit: losses, with calls that hang; or rejections alone, of a provider that"
                    + " limits the number in flight, once for a wave of them.")
            .orElse(By.LOSSES);
    private static final Field<Long> SEED = Field.count("seed")
            .describedAs("Instances with different seeds do not measure at the same time.")
            .orElse(0x5EEDL);
    private static final Field<Double> TOLERANCE = Field.number("tolerance")
            .describedAs("How many times the average latency is tolerated.")
            .atLeast(1.0)
            .orElse(1.5);
    private static final Field<Duration> MEASURING_PERIOD = Field.duration("period")
            .describedAs("How often the latency without load is measured.")
            .atLeast(Duration.ofSeconds(1))
            .orElse(Duration.ofMinutes(1));

    private static final Field<String> SIGNAL = Field.text("signal")
            .describedAs(
                    "The name of the signal: one of the list signals, or queue-delay, the delay of the limit's own queue.");
    private static final Field<String> LOAD = SIGNAL.needed();
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
    private static final Field<Long> SAFE = Field.count("safe")
            .describedAs("The limit that is safe while the signal has no reading.")
            .orElse(1L);
    private static final Field<Long> KEPT_WINDOWS = Field.count("kept-windows")
            .describedAs("The number of windows without a reading in which the limit stays.")
            .atLeast(0L)
            .atMost((long) Integer.MAX_VALUE)
            .orElse(5L);
    private static final Field<Duration> WINDOW = Field.duration("window")
            .describedAs("The shortest window; that of the readings of the signal fits.")
            .atLeast(Duration.ofNanos(1))
            .orElse(Duration.ofMillis(500));

    private static final Field<String> DELAY = SIGNAL.orElse(Adaptive.QUEUE_DELAY);
    private static final Field<Duration> TARGET_DELAY = Algorithms.time("target")
            .describedAs("The delay to hold; the signal is in seconds.")
            .needed();
    private static final Field<Double> PROPORTIONAL = gain("proportional", Gains.USUAL.proportional())
            .describedAs("How strongly it acts against a change of the delay.");
    private static final Field<Double> INTEGRAL = gain("integral", Gains.USUAL.integral())
            .describedAs("How strongly it acts as long as the delay is off its target, more than 0.");
    private static final Field<Double> DERIVATIVE = gain("derivative", Gains.USUAL.derivative())
            .describedAs("How strongly it acts against a delay that changes faster and faster.");

    private static final Field<List<Controller>> OF = Field.list("of", new ValueType.Named<>(Controller.class))
            .describedAs("The controllers, at least one.")
            .needed();

    private static final Field<Long> LIMIT =
            Field.count("limit").describedAs("The full limit.").needed();
    private static final Field<Duration> RISE = Field.duration("period")
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
            .describedAs("Ends early when latencies are at most this many times the healthy one. Default: it does not.")
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

    static final List<Entry<Controller>> ALL = List.of(
            new Entry<>(
                    "crest",
                    "Finds the limit above which throughput no longer grows. The default.",
                    List.of(INSTANCES),
                    values -> values.find(INSTANCES).orElse(0L) == 1 ? Crest.alone() : new Crest()),
            new Entry<>(
                    "aimd",
                    "Raises the limit a little while calls succeed, and lowers it by a factor when calls are lost.",
                    List.of(BACKOFF, BY),
                    Controllers::aimd),
            new Entry<>(
                    "vegas",
                    "Holds a small queue, estimated by latency.",
                    List.of(SEED),
                    values -> new Vegas(values.get(SEED))),
            new Entry<>(
                    "gradient2",
                    "Follows the ratio of the average latency and the current one, as Netflix's concurrency-limits.",
                    List.of(TOLERANCE),
                    values -> new Gradient2(values.get(TOLERANCE))),
            new Entry<>(
                    "envoy-gradient",
                    "Follows the ratio of the latency without load and the current one, as Envoy.",
                    List.of(MEASURING_PERIOD, SEED),
                    values -> new EnvoyGradient(values.get(MEASURING_PERIOD), values.get(SEED))),
            new Entry<>(
                    "load-guard",
                    "Keeps a load, such as of the CPU, below a maximum.",
                    List.of(LOAD, LOW, HIGH, TARGET, SAFE, KEPT_WINDOWS, WINDOW),
                    Controllers::loadGuard),
            new Entry<>(
                    "queue-delay-pid",
                    "Holds the delay of a queue at a target.",
                    List.of(DELAY, TARGET_DELAY, PROPORTIONAL, INTEGRAL, DERIVATIVE, SAFE),
                    Controllers::queueDelayPid),
            new Entry<>("min", "The lowest limit of several controllers.", List.of(OF), Controllers::min),
            new Entry<>(
                    "ramp",
                    "Limits a cold start: the limit rises over a period, and is that of another controller afterwards.",
                    List.of(
                            LIMIT,
                            RISE,
                            CURVE,
                            FROM,
                            BEFORE,
                            HEALTHY_FACTOR,
                            HEALTHY_WINDOWS,
                            HEALTHY_LATENCY,
                            COOL_AFTER_IDLE),
                    Controllers::ramp));

    private Controllers() {}

    private static Field<Double> gain(String name, double usual) {
        return Field.number(name).atLeast(0.0).atMost(MOST_GAIN).orElse(usual);
    }

    private static Controller aimd(Values values) {
        double backoff = values.get(BACKOFF);
        return values.get(BY) == By.REJECTIONS ? Aimd.byRejections(backoff) : new Aimd(backoff);
    }

    private static Controller loadGuard(Values values) {
        LoadGuard.Builder guard = LoadGuard.builder(values.get(LOAD))
                .between(values.get(LOW), values.get(HIGH))
                .safe(values.get(SAFE))
                .keepFor(Math.toIntExact(values.get(KEPT_WINDOWS)))
                .every(values.get(WINDOW));
        values.find(TARGET).ifPresent(guard::target);
        return guard.build();
    }

    private static Controller queueDelayPid(Values values) {
        Gains gains = new Gains(values.get(PROPORTIONAL), values.get(INTEGRAL), values.get(DERIVATIVE));
        double target = values.get(TARGET_DELAY).toNanos() / 1e9;
        return new QueueDelayPid(values.get(DELAY), target, gains, values.get(SAFE));
    }

    private static Controller min(Values values) {
        List<Controller> members = values.get(OF);
        if (members.isEmpty()) {
            throw new IllegalArgumentException("of must have at least one controller, had none");
        }
        return Min.of(members.get(0), members.subList(1, members.size()).toArray(Controller[]::new));
    }

    private static Controller ramp(Values values) {
        Ramp.Builder ramp = Ramp.builder(values.get(LIMIT), values.get(RISE))
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
