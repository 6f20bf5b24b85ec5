package dev.weir.micrometer;

import dev.weir.Rejection.Reason;
import dev.weir.adaptive.ControlView;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.LimiterView;
import dev.weir.executor.ExecutorLedger;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.ConfigStatus;
import dev.weir.named.status.LimitOverride;
import dev.weir.named.status.RegistryObserver;
import dev.weir.queue.QueueView;
import dev.weir.spi.Registration;
import dev.weir.store.StoreStatus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a registry of limits: those of all its limiters, in this process or over a store, queues, adaptive controls and
 * executors, present and future ({@code weir.executor.tasks}: counter by {@code name} and {@code result}), and, tagged by
 * {@code source}, those of its configuration:
 *
 * <ul>
 *   <li>{@code weir.config.version}: gauge of the version that the document in force states; 0 = none
 *   <li>{@code weir.config.info}: gauge, 1, whose tag {@code version} is the version in force, where it is not a number
 *   <li>{@code weir.config.age}: gauge of the time since it was put in force
 *   <li>{@code weir.config.documents}: counter by {@code result} (accepted, refused)
 *   <li>{@code weir.config.source.up}: 1 if the source could be read the last time, otherwise 0
 *   <li>{@code weir.config.problems}: gauge of what is wrong with the document in force
 *   <li>{@code weir.config.orphans}: gauge of the names that the document in force does not have, and whose settings stay
 *   <li>{@code weir.config.failures}: counter of what listeners, observers and factories threw
 * </ul>
 *
 * <p>{@code weir.override}, tagged by {@code name}, is 1 while a patch by hand is in force for the name; there is none otherwise.
 * {@code weir.suspended} is also there for a name that a store counts.
 *
 * <p>Thread-safe. Meters live until {@link #close}, or until their part of the registry goes.
 */
public final class RegistryMeters implements MeterBinder, AutoCloseable {
    private final LimiterRegistry limits;
    private final UnaryOperator<Timer.Builder> timing;
    private final @Nullable UnaryOperator<Timer.Builder> executions;
    private final Tags source;
    private final Bindings<MeterTable<LimiterRegistry, ConfigStatus>> bound;

    /** A meter of several rows, which are read again when it is told. Thread-safe: the last one to read is the last one to write. */
    private static final class Rows {
        private final MultiGauge gauge;
        private final Supplier<List<MultiGauge.Row<?>>> now;
        private boolean closed;

        Rows(MultiGauge gauge, Supplier<List<MultiGauge.Row<?>>> now) {
            this.gauge = gauge;
            this.now = now;
        }

        synchronized void tell() {
            if (!closed) {
                gauge.register(now.get(), true);
            }
        }

        synchronized void close() {
            closed = true;
            gauge.register(List.of(), true);
        }
    }

    /** The meters of a limiter and the reasons of the queue before it, whichever comes first. */
    private static final class Named {
        private @Nullable WeirMeters limiter;
        private Set<Reason> ofQueue = Set.of();

        synchronized void limiter(@Nullable WeirMeters meters) {
            limiter = meters;
            queue(ofQueue);
        }

        synchronized void refresh() {
            if (limiter != null) {
                limiter.refresh();
            }
        }

        synchronized void queue(Set<Reason> reasons) {
            ofQueue = reasons;
            if (limiter != null) {
                limiter.queueRefuses(reasons);
            }
        }
    }

    private RegistryMeters(
            LimiterRegistry limits,
            UnaryOperator<Timer.Builder> timing,
            @Nullable UnaryOperator<Timer.Builder> executions) {
        this.limits = limits;
        this.timing = timing;
        this.executions = executions;
        this.source = Tags.of("source", WeirMeters.tag(limits.status().source()));
        this.bound = new Bindings<>("the meters of this source are", "weir.config.version", source);
    }

    /** The meters of this registry of limits. */
    public static RegistryMeters of(LimiterRegistry limits) {
        return new RegistryMeters(Objects.requireNonNull(limits, "limits"), UnaryOperator.identity(), null);
    }

    /**
     * The same meters, with other options of all {@code weir.wait}: as {@link QueueMeters#timing}. To be called before {@link
     * #bindTo}.
     */
    public RegistryMeters timing(UnaryOperator<Timer.Builder> options) {
        return new RegistryMeters(limits, Objects.requireNonNull(options, "options"), executions);
    }

    /**
     * The same meters, and {@code weir.execution.sampled} of each limiter in this process, with these options: as {@link
     * WeirMeters#executions}. To be called before {@link #bindTo}.
     */
    public RegistryMeters executions(UnaryOperator<Timer.Builder> options) {
        return new RegistryMeters(limits, timing, Objects.requireNonNull(options, "options"));
    }

    /**
     * Registers the meters.
     *
     * @throws IllegalStateException if a registry of limits with this source has its meters there already
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.bind(registry, new MeterTable<>(registry, source, limits, LimiterRegistry::status), meters -> {
            register(meters);
            observe(registry, meters);
        });
    }

    private static void register(MeterTable<?, ConfigStatus> meters) {
        String version = "The number that the document in force states as its version; 0 if there is none";
        meters.gauge("weir.config.version", null, version, ConfigStatus::number);
        String age = "The time since the document in force was put in force";
        meters.time("weir.config.age", age, status -> status.age().toNanos());
        String up = "1 if the source could be read the last time, else 0";
        meters.gauge("weir.config.source.up", null, up, status -> status.up() ? 1 : 0);
        String problems = "What is wrong with the document in force";
        meters.gauge(
                "weir.config.problems",
                "problems",
                problems,
                status -> status.problems().size());
        String orphans = "Names that the document in force does not have, and whose settings stay";
        meters.gauge(
                "weir.config.orphans",
                "names",
                orphans,
                status -> status.orphans().size());
        String documents = "Documents that were read, by result";
        meters.counter("weir.config.documents", "documents", documents, ConfigStatus::accepted, "result", "accepted");
        meters.counter("weir.config.documents", "documents", documents, ConfigStatus::refused, "result", "refused");
        String failures = "How often a listener, an observer or a factory threw";
        meters.counter("weir.config.failures", "failures", failures, ConfigStatus::failures);
    }

    private void observe(MeterRegistry registry, MeterTable<?, ConfigStatus> meters) {
        Rows version = new Rows(
                MultiGauge.builder("weir.config.info")
                        .description("1; the tag is the version in force, where it is not a number")
                        .tags(source)
                        .register(registry),
                this::versionText);
        Rows overrides = new Rows(
                MultiGauge.builder("weir.override")
                        .description("1 while a patch by hand is in force")
                        .register(registry),
                () -> limits.names().names().stream()
                        .filter(this::isOverridden)
                        .<MultiGauge.Row<?>>map(name -> MultiGauge.Row.of(Tags.of("name", WeirMeters.tag(name)), 1))
                        .toList());
        Map<String, Named> names = new ConcurrentHashMap<>();
        meters.keep(limits.names().onEvent(event -> {
            version.tell();
            if (event instanceof ConfigEvent.Overridden) {
                overrides.tell();
            }
            names.values().forEach(Named::refresh);
        }));
        version.tell();
        overrides.tell();
        meters.keep(limits.names().observe(parts(registry, names)));
        meters.keep(version::close);
        meters.keep(overrides::close);
    }

    private List<MultiGauge.Row<?>> versionText() {
        ConfigStatus status = limits.status();
        return status.number() == 0 && !status.version().isEmpty()
                ? List.of(MultiGauge.Row.of(Tags.of("version", WeirMeters.tag(status.version())), 1))
                : List.of();
    }

    /* A strategy that throws hides no override of another limit. */
    private boolean isOverridden(String name) {
        try {
            LimitOverride given = limits.limiter(name).status().override();
            return given != null && !given.pending();
        } catch (RuntimeException ofStrategy) {
            return false;
        }
    }

    private static void tasks(
            MeterTable<?, ExecutorLedger> meters, String result, ToDoubleFunction<ExecutorLedger> count) {
        meters.counter("weir.executor.tasks", "tasks", "Tasks that have ended, by result", count, "result", result);
    }

    private RegistryObserver parts(MeterRegistry registry, Map<String, Named> names) {
        return new RegistryObserver() {
            private Named named(String name) {
                return names.computeIfAbsent(name, any -> new Named());
            }

            @Override
            public Registration onLimiter(LimiterView limiter) {
                WeirMeters all = WeirMeters.of(limiter);
                WeirMeters meters = executions == null ? all : all.executions(executions);
                meters.bindTo(registry);
                named(limiter.name()).limiter(meters);
                return () -> {
                    named(limiter.name()).limiter(null);
                    meters.close();
                };
            }

            @Override
            public Registration onStoreLimiter(String name, Supplier<StoreStatus> status) {
                StoreMeters meters = StoreMeters.of(name, status);
                meters.bindTo(registry);
                Tags tags = Tags.of("name", WeirMeters.tag(name));
                MeterTable<LimiterRegistry, LimiterRegistry> others =
                        new MeterTable<>(registry, tags, limits, all -> all);
                OptionalGauges.suspended(
                        others, all -> all.limiter(name).snapshot().suspendedNanos());
                others.keep(meters::close);
                return others;
            }

            @Override
            public Registration onExecutor(String name, Supplier<ExecutorLedger> ledger) {
                Tags tags = Tags.of("name", WeirMeters.tag(name));
                MeterTable<?, ExecutorLedger> meters = new MeterTable<>(registry, tags, ledger, Supplier::get);
                tasks(meters, "succeeded", ExecutorLedger::succeeded);
                tasks(meters, "failed", ExecutorLedger::failed);
                tasks(meters, "cancelled", ExecutorLedger::cancelled);
                tasks(meters, "rejected", ExecutorLedger::rejected);
                return meters;
            }

            @Override
            public Registration onQueue(QueueView queue) {
                QueueMeters meters = QueueMeters.of(queue).timing(timing).telling(named(queue.name())::queue);
                meters.bindTo(registry);
                return meters::close;
            }

            @Override
            public Registration onControl(ControlView control) {
                AdaptiveMeters meters = AdaptiveMeters.of(control);
                meters.bindTo(registry);
                return meters::close;
            }
        };
    }

    /** Removes the meters from all registries. */
    @Override
    public void close() {
        bound.close();
    }
}
