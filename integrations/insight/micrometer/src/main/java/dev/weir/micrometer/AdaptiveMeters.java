package dev.weir.micrometer;

import dev.weir.adaptive.ControlSnapshot;
import dev.weir.adaptive.ControlView;
import dev.weir.adaptive.signal.SensorHealth;
import dev.weir.adaptive.signal.SensorHealth.State;
import dev.weir.adaptive.signal.Sensors;
import dev.weir.spi.Registration;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one adaptive control, tagged by the {@code name} of its limiter, and of the signals it sees:
 *
 * <ul>
 *   <li>{@code weir.adaptive.limit.min}, {@code weir.adaptive.limit.max}: gauges of the bounds in force
 *   <li>{@code weir.adaptive.stale}: gauge, 1 while what the control adjusts has been replaced and it has no effect, else 0
 *   <li>{@code weir.adaptive.queue}: gauge of what was in flight before the last joint dip, relative to what the throughput
 *       needed: about 1 without a queue; 0 before the first dip; NaN if the controller makes none
 *   <li>{@code weir.adaptive.updates}: counter of evaluated windows; {@code weir.adaptive.failures}: of what threw; {@code
 *       weir.adaptive.unusable}: of samples left out
 *   <li>{@code weir.signal}: gauge of the last good reading, by {@code signal}; NaN before the first
 *   <li>{@code weir.signal.health}: gauge, 1 for the {@code state} a sensor is in (good, unavailable, throws, hangs, stuck),
 *       else 0, by {@code signal}
 *   <li>{@code weir.signal.failures}: counter of readings that threw or hung, by {@code signal}
 * </ul>
 *
 * <p>The limit itself, and its changes by the rule that made them, are meters of {@link WeirMeters}. Thread-safe. Meters
 * live until {@link #close}; control and sensors need not end with them.
 */
public final class AdaptiveMeters implements MeterBinder, AutoCloseable {
    private final ControlView control;
    private final @Nullable Sensors sensors;
    private final Tags name;
    private final Bindings<MeterTable<?, ControlSnapshot>> bound;

    private AdaptiveMeters(ControlView control, @Nullable Sensors sensors) {
        this.control = Objects.requireNonNull(control, "control");
        this.sensors = sensors;
        String shown = WeirMeters.tag(control.snapshot().limiter());
        this.name = Tags.of("name", shown);
        this.bound = new Bindings<>("control of " + shown + " is", "weir.adaptive.updates", name);
    }

    /** The meters of this control. */
    public static AdaptiveMeters of(ControlView control) {
        return new AdaptiveMeters(control, null);
    }

    /** Of this control, and of the sensors whose signals it sees. */
    public static AdaptiveMeters of(ControlView control, Sensors sensors) {
        return new AdaptiveMeters(control, Objects.requireNonNull(sensors, "sensors"));
    }

    /**
     * Registers the meters.
     *
     * @throws IllegalStateException if a control of a limiter of this name has its meters there already
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.bind(registry, new MeterTable<>(registry, name, control, ControlView::snapshot), meters -> {
            register(meters);
            meters.add(Gauge.builder("weir.adaptive.queue", control, AdaptiveMeters::queue)
                    .description("In flight before the last joint dip, relative to what the throughput needed")
                    .tags(name)
                    .register(registry));
            if (sensors != null) {
                for (SensorHealth sensor : sensors.health()) {
                    meters.keep(signal(registry, sensors, sensor.name()));
                }
            }
        });
    }

    private static void register(MeterTable<?, ControlSnapshot> meters) {
        String min = "The smallest limit that the control may set";
        meters.gauge("weir.adaptive.limit.min", "permits", min, s -> s.bounds().min());
        String max = "The largest limit that the control may set";
        meters.gauge("weir.adaptive.limit.max", "permits", max, s -> s.bounds().max());
        String stale = "1 while the control has no effect, because what it adjusts was replaced";
        meters.gauge("weir.adaptive.stale", null, stale, s -> s.stale() ? 1 : 0);
        meters.counter("weir.adaptive.updates", "windows", "Windows that were evaluated", ControlSnapshot::updates);
        String failures = "How often a controller, a signal or a listener threw";
        meters.counter("weir.adaptive.failures", "failures", failures, ControlSnapshot::failures);
        meters.counter("weir.adaptive.unusable", "samples", "Samples that were left out", ControlSnapshot::unusable);
    }

    /* Of several controllers, each has its index before the name: "0.queue". */
    private static double queue(ControlView control) {
        return control.learned().entrySet().stream()
                .filter(known -> known.getKey().matches("([0-9]+[.])*queue"))
                .mapToDouble(Map.Entry::getValue)
                .max()
                .orElse(Double.NaN);
    }

    private Registration signal(MeterRegistry registry, Sensors watch, String signal) {
        Tags tags = name.and("signal", WeirMeters.tag(signal));
        MeterTable<Sensors, Sensors> meters = new MeterTable<>(registry, tags, watch, w -> w);
        String reading = "The last good reading of the signal";
        meters.gauge("weir.signal", null, reading, w -> health(w, signal, SensorHealth::lastValue));
        String failures = "Readings that threw or hung";
        meters.counter("weir.signal.failures", "failures", failures, w -> health(w, signal, SensorHealth::failures));
        for (State state : State.values()) {
            meters.add(Gauge.builder(
                            "weir.signal.health", watch, w -> health(w, signal, h -> h.state() == state ? 1 : 0))
                    .description("1 for the state the sensor is in")
                    .tags(tags.and("state", state.name().toLowerCase(Locale.ROOT)))
                    .register(registry));
        }
        return meters;
    }

    private static double health(Sensors watch, String signal, ToDoubleFunction<SensorHealth> figure) {
        return watch.health().stream()
                .filter(sensor -> sensor.name().equals(signal))
                .mapToDouble(figure)
                .findFirst()
                .orElse(Double.NaN);
    }

    /** Removes the meters from every registry they were bound to. Idempotent. */
    @Override
    public void close() {
        bound.close();
    }
}
