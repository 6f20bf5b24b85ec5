package dev.weir.micrometer;

import dev.weir.Rejection.Reason;
import dev.weir.store.StoreStatus;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

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

    private final Tags name;
    private final Supplier<StoreStatus> status;
    private final Bindings<MeterTable<?, StoreStatus>> bound;

    private StoreMeters(String limiter, Supplier<StoreStatus> status) {
        String shown = WeirMeters.tag(Objects.requireNonNull(limiter, "name"));
        this.name = Tags.of("name", shown);
        this.status = Objects.requireNonNull(status, "status");
        this.bound = new Bindings<>("limiter " + shown + " is", "weir.acquire", name);
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
        bound.bind(registry, new MeterTable<>(registry, name, registry, any -> status.get()), meters -> {
            register(meters);
            meters.add(FunctionTimer.builder(
                            "weir.store.roundtrip",
                            registry,
                            any -> status.get().answers(),
                            any -> status.get().answerNanos(),
                            TimeUnit.NANOSECONDS)
                    .description("Round trips to the store that were answered, also too late")
                    .tags(name)
                    .register(registry));
        });
    }

    private static void register(MeterTable<?, StoreStatus> meters) {
        DecisionMeters.permitted(meters, StoreStatus::granted);
        for (Reason reason : REASONS) {
            DecisionMeters.rejected(meters, reason, s -> s.refused().getOrDefault(reason, 0L));
        }
        meters.counter(
                "weir.store.local", "requests", "Requests decided without the store", StoreStatus::localDecisions);
        String healed = "Values that the store replaced because they were none of its own";
        meters.counter("weir.store.healed", "values", healed, StoreStatus::healed);
        String failed = "Commands to the store without a good answer, by result";
        meters.counter("weir.store.commands", "commands", failed, StoreStatus::timeouts, "result", "timeout");
        meters.counter("weir.store.commands", "commands", failed, StoreStatus::failures, "result", "failed");
        meters.counter("weir.store.commands", "commands", failed, StoreStatus::unsent, "result", "unsent");
        meters.gauge("weir.store.up", null, "1 while all nodes of the store answer", s -> s.up() ? 1 : 0);
        String degraded = "1 while there are so many requests that the store is not asked";
        meters.gauge("weir.store.degraded", null, degraded, s -> s.degraded() ? 1 : 0);
        meters.gauge("weir.store.inflight", "commands", "Commands without an answer", StoreStatus::inFlight);
    }

    /** Removes the meters from every registry they were bound to. Idempotent. */
    @Override
    public void close() {
        bound.close();
    }
}
