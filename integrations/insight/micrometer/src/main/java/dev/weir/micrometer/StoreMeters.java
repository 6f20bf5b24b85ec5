package dev.weir.micrometer;

import dev.weir.Rejection.Reason;
import dev.weir.store.StoreStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one limiter that a store counts, tagged by its {@code name} and never by key:
 *
 * <ul>
 *   <li>{@code weir.acquire}: counter of decisions, by {@code outcome} and {@code reason}, as of a local limiter; a reason that
 *       only a local part of a kind of its own gives has no series
 *   <li>{@code weir.store.local}: counter of requests that were decided without the store
 *   <li>{@code weir.store.up}, {@code weir.store.degraded}: gauges, 1 or 0
 *   <li>{@code weir.store.inflight}: gauge of commands without answer
 *   <li>{@code weir.store.roundtrip}: timer of answered commands, also those answered too late; it has no maximum
 *   <li>{@code weir.store.commands}: counter of other commands, by {@code result} (timeout, failed, unsent: too many in flight)
 *   <li>{@code weir.store.healed}: counter of values that the store replaced because they were none of its own
 * </ul>
 *
 * <p>All are read from the status when they are asked for. Thread-safe. Meters live until {@link #close}; the limiter need not end
 * with them.
 */
public final class StoreMeters implements MeterBinder, AutoCloseable {
    /** Why a request to a store may be refused: such a limit is a rate, and the waits for it end in a time-out. */
    private static final Set<Reason> REASONS =
            Set.of(Reason.RATE, Reason.TIMED_OUT, Reason.CANCELLED, Reason.NEVER, Reason.UNAVAILABLE);

    private final String name;
    private final Supplier<StoreStatus> status;
    private final Map<MeterRegistry, List<Meter>> bound = new ConcurrentHashMap<>();

    private StoreMeters(String name, Supplier<StoreStatus> status) {
        this.name = WeirMeters.tag(Objects.requireNonNull(name, "name"));
        this.status = Objects.requireNonNull(status, "status");
    }

    /** Of a limiter: {@code StoreMeters.of(limiter.name(), limiter::status)}. */
    public static StoreMeters of(String name, Supplier<StoreStatus> status) {
        return new StoreMeters(name, status);
    }

    /**
     * Registers the meters.
     *
     * @throws IllegalStateException if a limiter of this name has its meters there already
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.compute(registry, (same, before) -> {
            if (before != null || WeirMeters.isTaken(registry, "weir.acquire", name)) {
                throw new IllegalStateException("limiter " + name + " is already bound to this registry");
            }
            return register(registry);
        });
    }

    private List<Meter> register(MeterRegistry registry) {
        Tags tags = Tags.of("name", name);
        List<Meter> meters = new ArrayList<>();
        meters.add(decisions(registry, DecisionMeters.permitted(tags), StoreStatus::granted));
        for (Reason reason : REASONS) {
            Tags refused = DecisionMeters.rejected(tags, reason);
            meters.add(decisions(registry, refused, s -> s.refused().getOrDefault(reason, 0L)));
        }
        meters.add(counter(
                registry,
                "weir.store.local",
                "requests",
                "Requests decided without the store",
                tags,
                StoreStatus::localDecisions));
        meters.add(counter(
                registry,
                "weir.store.healed",
                "values",
                "Values that the store replaced because they were none of its own",
                tags,
                StoreStatus::healed));
        Tags timeout = tags.and("result", "timeout");
        meters.add(commands(registry, timeout, StoreStatus::timeouts));
        meters.add(commands(registry, tags.and("result", "failed"), StoreStatus::failures));
        meters.add(commands(registry, tags.and("result", "unsent"), StoreStatus::unsent));
        meters.add(gauge(registry, "weir.store.up", null, "1 while the store answers", tags, s -> s.up() ? 1 : 0));
        meters.add(gauge(
                registry,
                "weir.store.degraded",
                null,
                "1 while there are so many requests that the store is not asked",
                tags,
                s -> s.degraded() ? 1 : 0));
        meters.add(gauge(
                registry,
                "weir.store.inflight",
                "commands",
                "Commands without an answer",
                tags,
                StoreStatus::inFlight));
        meters.add(FunctionTimer.builder(
                        "weir.store.roundtrip",
                        registry,
                        any -> status.get().answers(),
                        any -> status.get().answerNanos(),
                        TimeUnit.NANOSECONDS)
                .description("Round trips to the store that were answered, also too late")
                .tags(tags)
                .register(registry));
        return meters;
    }

    private Meter decisions(MeterRegistry registry, Tags tags, ToDoubleFunction<StoreStatus> figure) {
        return counter(registry, "weir.acquire", "requests", DecisionMeters.HELP, tags, figure);
    }

    private Meter commands(MeterRegistry registry, Tags tags, ToDoubleFunction<StoreStatus> figure) {
        String help = "Commands to the store without a good answer, by result";
        return counter(registry, "weir.store.commands", "commands", help, tags, figure);
    }

    private Meter counter(
            MeterRegistry registry,
            String meter,
            String unit,
            String what,
            Tags tags,
            ToDoubleFunction<StoreStatus> figure) {
        return FunctionCounter.builder(meter, registry, any -> figure.applyAsDouble(status.get()))
                .description(what)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    private Meter gauge(
            MeterRegistry registry,
            String meter,
            @Nullable String unit,
            String what,
            Tags tags,
            ToDoubleFunction<StoreStatus> figure) {
        return Gauge.builder(meter, registry, any -> figure.applyAsDouble(status.get()))
                .description(what)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    /** Removes the meters from every registry they were bound to. Idempotent. */
    @Override
    public void close() {
        for (MeterRegistry registry : List.copyOf(bound.keySet())) {
            List<Meter> its = bound.remove(registry);
            if (its != null) {
                its.forEach(registry::remove);
            }
        }
    }
}
