package dev.weir.micrometer;

import dev.weir.spi.Registration;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters in one registry that read the figures {@code F} of one {@code T}, all with the same tags, and the registrations that
 * end with them. The registry holds the {@code T} weakly. Thread-safe: what is added after {@link #close} is removed at once.
 */
final class MeterTable<T, F> implements Registration {
    /*
     * A meter may be added while the table is being closed:
     *
     *     add                    close
     *     puts it in             sets closed
     *     is it closed?          removes all that are in
     *
     * so one of the two removes it.
     */
    private final MeterRegistry registry;
    private final Tags tags;
    private final T source;
    private final Function<T, F> figures;
    private final Set<Meter> meters = ConcurrentHashMap.newKeySet();
    private final Queue<Registration> others = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    MeterTable(MeterRegistry registry, Tags tags, T source, Function<T, F> figures) {
        this.registry = registry;
        this.tags = tags;
        this.source = source;
        this.figures = figures;
    }

    Meter gauge(String meter, @Nullable String unit, String help, ToDoubleFunction<F> figure) {
        return add(Gauge.builder(meter, source, of(figure))
                .description(help)
                .baseUnit(unit)
                .tags(tags)
                .register(registry));
    }

    Meter time(String meter, String help, ToDoubleFunction<F> nanos) {
        return add(TimeGauge.builder(meter, source, TimeUnit.NANOSECONDS, of(nanos))
                .description(help)
                .tags(tags)
                .register(registry));
    }

    /** Adds a counter with further tags: key, value, and so on. */
    Meter counter(String meter, String unit, String help, ToDoubleFunction<F> count, String... more) {
        return add(FunctionCounter.builder(meter, source, of(count))
                .description(help)
                .baseUnit(unit)
                .tags(tags.and(more))
                .register(registry));
    }

    /* Without a reference to the table, which holds the source. */
    private ToDoubleFunction<T> of(ToDoubleFunction<F> figure) {
        Function<T, F> read = figures;
        return its -> figure.applyAsDouble(read.apply(its));
    }

    <M extends Meter> M add(M meter) {
        meters.add(meter);
        if (closed) {
            registry.remove(meter);
        }
        return meter;
    }

    /** Closes this with the table, before the meters are removed. */
    void keep(Registration other) {
        others.add(other);
        if (closed) {
            other.close();
        }
    }

    void remove(Meter meter) {
        meters.remove(meter);
        registry.remove(meter);
    }

    @Override
    public void close() {
        closed = true;
        others.forEach(Registration::close);
        meters.forEach(registry::remove);
    }
}
