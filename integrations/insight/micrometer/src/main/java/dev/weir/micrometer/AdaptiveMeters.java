package dev.weir.micrometer;

import dev.weir.adaptive.ControlSnapshot;
import dev.weir.adaptive.ControlView;
import dev.weir.adaptive.signal.SensorHealth;
import dev.weir.adaptive.signal.SensorHealth.State;
import dev.weir.adaptive.signal.Sensors;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
    private final String name;
    private final Map<MeterRegistry, Set<Meter>> bound = new ConcurrentHashMap<>();

    private AdaptiveMeters(ControlView control, @Nullable Sensors sensors) {
        this.control = Objects.requireNonNull(control, "control");
        this.sensors = sensors;
        this.name = WeirMeters.tag(control.snapshot().limiter());
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
        bound.compute(registry, (same, before) -> {
            if (before != null || WeirMeters.isTaken(registry, "weir.adaptive.updates", name)) {
                throw new IllegalStateException("control of " + name + " is already bound to this registry");
            }
            return register(registry);
        });
    }

    private Set<Meter> register(MeterRegistry registry) {
        Set<Meter> meters = new HashSet<>();
        meters.add(bound(
                registry,
                "weir.adaptive.limit.min",
                "permits",
                "The smallest limit that the control may set",
                s -> s.bounds().min()));
        meters.add(bound(
                registry,
                "weir.adaptive.limit.max",
                "permits",
                "The largest limit that the control may set",
                s -> s.bounds().max()));
        meters.add(bound(
                registry,
                "weir.adaptive.stale",
                null,
                "1 while the control has no effect, because what it adjusts was replaced",
                s -> s.stale() ? 1 : 0));
        meters.add(Gauge.builder("weir.adaptive.queue", control, AdaptiveMeters::queue)
                .description("In flight before the last joint dip, relative to what the throughput needed")
                .tag("name", name)
                .register(registry));
        meters.add(count(
                registry, "weir.adaptive.updates", "windows", "Windows that were evaluated", ControlSnapshot::updates));
        meters.add(count(
                registry,
                "weir.adaptive.failures",
                "failures",
                "How often a controller, a signal or a listener threw",
                ControlSnapshot::failures));
        meters.add(count(
                registry,
                "weir.adaptive.unusable",
                "samples",
                "Samples that were left out",
                ControlSnapshot::unusable));
        if (sensors != null) {
            for (SensorHealth sensor : sensors.health()) {
                signal(registry, meters, sensors, sensor.name());
            }
        }
        return meters;
    }

    /* Of several controllers, each has its index before the name: "0.queue". */
    private static double queue(ControlView control) {
        double most = Double.NaN;
        for (Map.Entry<String, Double> known : control.learned().entrySet()) {
            if (known.getKey().matches("([0-9]+[.])*queue")) {
                most = Double.isNaN(most) ? known.getValue() : Math.max(most, known.getValue());
            }
        }
        return most;
    }

    private Meter bound(
            MeterRegistry registry,
            String meter,
            @Nullable String unit,
            String what,
            ToDoubleFunction<ControlSnapshot> figure) {
        return Gauge.builder(meter, control, c -> figure.applyAsDouble(c.snapshot()))
                .description(what)
                .baseUnit(unit)
                .tag("name", name)
                .register(registry);
    }

    private Meter count(
            MeterRegistry registry, String meter, String unit, String what, ToDoubleFunction<ControlSnapshot> figure) {
        return FunctionCounter.builder(meter, control, c -> figure.applyAsDouble(c.snapshot()))
                .description(what)
                .baseUnit(unit)
                .tag("name", name)
                .register(registry);
    }

    private void signal(MeterRegistry registry, Set<Meter> meters, Sensors watch, String signal) {
        Tags tags = Tags.of("name", name, "signal", WeirMeters.tag(signal));
        meters.add(Gauge.builder("weir.signal", watch, w -> health(w, signal, SensorHealth::lastValue))
                .description("The last good reading of the signal")
                .tags(tags)
                .register(registry));
        meters.add(
                FunctionCounter.builder("weir.signal.failures", watch, w -> health(w, signal, SensorHealth::failures))
                        .description("Readings that threw or hung")
                        .baseUnit("failures")
                        .tags(tags)
                        .register(registry));
        for (State state : State.values()) {
            meters.add(Gauge.builder(
                            "weir.signal.health", watch, w -> health(w, signal, h -> h.state() == state ? 1 : 0))
                    .description("1 for the state the sensor is in")
                    .tags(tags.and("state", state.name().toLowerCase(Locale.ROOT)))
                    .register(registry));
        }
    }

    private static double health(Sensors watch, String signal, ToDoubleFunction<SensorHealth> figure) {
        for (SensorHealth sensor : watch.health()) {
            if (sensor.name().equals(signal)) {
                return figure.applyAsDouble(sensor);
            }
        }
        return Double.NaN;
    }

    /** Removes the meters from every registry they were bound to. Idempotent. */
    @Override
    public void close() {
        for (MeterRegistry registry : List.copyOf(bound.keySet())) {
            Set<Meter> its = bound.remove(registry);
            if (its != null) {
                its.forEach(registry::remove);
            }
        }
    }
}
