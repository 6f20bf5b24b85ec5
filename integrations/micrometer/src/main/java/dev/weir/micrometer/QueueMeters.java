package dev.weir.micrometer;

import dev.weir.queue.QueueSnapshot;
import dev.weir.queue.QueueView;
import dev.weir.spi.Registration;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The meters of one wait queue, tagged by the {@code name} of the limiter it stands before:
 *
 * <ul>
 *   <li>{@code weir.queue.length}, {@code weir.queue.permits}: gauges of the waiting requests and of their permits
 *   <li>{@code weir.queue.oldest.age}, {@code weir.queue.predicted.wait}: gauges of time
 *   <li>{@code weir.queue.ended}: counter of requests that waited or were refused, each once, by {@code how} (granted,
 *       limited, timed_out, shed, queue_full, cancelled, never); the rejections are also among the {@code weir.acquire} of
 *       the limiter
 *   <li>{@code weir.wait}: timer with histogram of the time that requests waited, see {@link WeirMeters#waits}
 * </ul>
 *
 * <p>Thread-safe. Meters live until {@link #close}; the queue need not end with them.
 */
public final class QueueMeters implements MeterBinder, AutoCloseable {
    private final QueueView queue;
    private final Map<MeterRegistry, Bound> bound = new ConcurrentHashMap<>();

    private record Bound(List<Meter> meters, Registration waits) {}

    private QueueMeters(QueueView queue) {
        this.queue = Objects.requireNonNull(queue, "queue");
    }

    /** The meters of this queue. */
    public static QueueMeters of(QueueView queue) {
        return new QueueMeters(queue);
    }

    /**
     * Registers the meters.
     *
     * @throws IllegalStateException if a queue of this name has its meters there already
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.compute(registry, (same, before) -> {
            if (before != null || WeirMeters.isTaken(registry, "weir.queue.length", WeirMeters.tag(queue.name()))) {
                throw new IllegalStateException("queue " + queue.name() + " is already bound to this registry");
            }
            return register(registry);
        });
    }

    private Bound register(MeterRegistry registry) {
        Tags name = Tags.of("name", WeirMeters.tag(queue.name()));
        List<Meter> meters = new ArrayList<>();
        meters.add(gauge(registry, "weir.queue.length", "Requests that wait", name, QueueSnapshot::length));
        meters.add(gauge(
                registry,
                "weir.queue.permits",
                "Permits that the waiting requests ask for",
                name,
                QueueSnapshot::permits));
        meters.add(age(
                registry,
                "weir.queue.oldest.age",
                "The longest wait so far of the requests that wait",
                name,
                QueueSnapshot::oldestAgeNanos));
        meters.add(age(
                registry,
                "weir.queue.predicted.wait",
                "How long a new request would wait",
                name,
                QueueSnapshot::predictedWaitNanos));
        meters.add(ended(registry, name.and("how", "granted"), QueueSnapshot::granted));
        meters.add(ended(registry, name.and("how", "limited"), QueueSnapshot::limited));
        meters.add(ended(registry, name.and("how", "timed_out"), QueueSnapshot::timedOut));
        meters.add(ended(registry, name.and("how", "shed"), QueueSnapshot::shed));
        meters.add(ended(registry, name.and("how", "queue_full"), QueueSnapshot::full));
        meters.add(ended(registry, name.and("how", "cancelled"), QueueSnapshot::cancelled));
        meters.add(ended(registry, name.and("how", "never"), QueueSnapshot::never));
        Timer waits = WeirMeters.waits(registry, queue.name());
        meters.add(waits);
        return new Bound(
                meters, queue.observe((request, decision, waited) -> waits.record(waited, TimeUnit.NANOSECONDS)));
    }

    private Meter gauge(
            MeterRegistry registry, String meter, String what, Tags name, ToDoubleFunction<QueueSnapshot> figure) {
        return Gauge.builder(meter, queue, q -> figure.applyAsDouble(q.snapshot()))
                .description(what)
                .tags(name)
                .register(registry);
    }

    private Meter age(
            MeterRegistry registry, String meter, String what, Tags name, ToDoubleFunction<QueueSnapshot> nanos) {
        return TimeGauge.builder(meter, queue, TimeUnit.NANOSECONDS, q -> nanos.applyAsDouble(q.snapshot()))
                .description(what)
                .tags(name)
                .register(registry);
    }

    private Meter ended(MeterRegistry registry, Tags tags, ToDoubleFunction<QueueSnapshot> count) {
        return FunctionCounter.builder("weir.queue.ended", queue, q -> count.applyAsDouble(q.snapshot()))
                .description("Requests that waited or were refused, by how that ended")
                .tags(tags)
                .register(registry);
    }

    /** Removes the meters from every registry they were bound to. Idempotent. */
    @Override
    public void close() {
        for (MeterRegistry registry : List.copyOf(bound.keySet())) {
            Bound its = bound.remove(registry);
            if (its != null) {
                its.waits().close();
                its.meters().forEach(registry::remove);
            }
        }
    }
}
