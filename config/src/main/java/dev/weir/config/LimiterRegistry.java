package dev.weir.config;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.SavedState;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.config.value.ConfigValues;
import dev.weir.distributed.ClusterLimiter;
import dev.weir.distributed.ClusterLimits;
import dev.weir.distributed.ClusterRegistry;
import dev.weir.distributed.ClusterShare;
import dev.weir.distributed.Instances;
import dev.weir.distributed.Mode;
import dev.weir.distributed.WhenAway;
import dev.weir.engine.ManagedLimiter;
import dev.weir.executor.LimitedExecutor;
import dev.weir.keyed.Dimensions;
import dev.weir.queue.AdmissionQueue;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Limiters by name, built from one document and changed while they run.
 *
 * <pre>{@code
 * LimiterRegistry limits = LimiterRegistry.of(FileSource.of(file));
 * Limiter checkout = limits.limiter("checkout", new Semaphore(20));
 * checkout.run(() -> sell());
 * }</pre>
 *
 * <p>A name is known if the document has it under {@code limits}, or code has declared it with a default. The document comes
 * before the default, and the {@link Caps} that code declares come before the document. A name that goes from the document gets
 * its default back; without a default, its limiter is closed: permits that are held stay valid, those that wait are refused as
 * {@code CANCELLED}.
 *
 * <p>A document that is wrong, missing or older changes nothing, and neither does a source that cannot be reached: what was last
 * in force stays so. Each is reported once.
 *
 * <p>Thread-safe. Registries know nothing of each other. The methods do not block, except where they say so.
 */
public final class LimiterRegistry implements AutoCloseable {
    private final Environment environment;
    private final LimitTables limits;
    private final Configuration configuration;
    private final ConfigValues values;

    private LimiterRegistry(Builder builder) {
        environment = Environment.of(
                builder.ticker, builder.alarm, new Shares(builder.shares, builder.executor), builder.state);
        limits = new LimitTables(new LimiterTable(environment), new ClusterTable(builder.store, environment));
        configuration = new Configuration(builder, environment, limits);
        values = new ConfigValues(configuration.values(), builder.converters);
    }

    /** A builder of a registry. */
    public static Builder builder() {
        return new Builder();
    }

    /** A registry of the limits in this document, at work. May block for the time of {@link Builder#startWithin}. */
    public static LimiterRegistry of(ConfigSource source) {
        return builder().source(source).build();
    }

    /**
     * The limiter of this name.
     *
     * @throws IllegalArgumentException if the name is not known, or is that of a limit that a store counts
     */
    public ManagedLimiter limiter(String name) {
        return limits.local(name).limiter();
    }

    /** Declares a default for this name, without caps; see {@link #limiter(String, StrategySpec, Caps)}. */
    public ManagedLimiter limiter(String name, StrategySpec declared) {
        return limiter(name, declared, Caps.NONE);
    }

    /**
     * Declares a default for this name, and what the document may not exceed. Declaring it again replaces both. If what the
     * document says exceeds the caps, an event says why, and what was in force before remains so if it is within the caps; else
     * the default is in force. If the document says that a store counts it, an event says so, and the default is in force.
     *
     * @throws IllegalArgumentException if the specification cannot create its strategy
     * @throws IllegalStateException after {@link #close}
     */
    public ManagedLimiter limiter(String name, StrategySpec declared, Caps caps) {
        NamedLimit named = limits.local().declare(name, declared, caps, rule -> configuration.exceeds(name, rule));
        if (limits.cluster().plans().containsKey(name)) {
            configuration.declaredOtherwise(name, "local");
        }
        return named.limiter();
    }

    /**
     * The limiter of this name, which the store given to {@link Builder#cluster} counts for all instances. It is always the same
     * one and follows the document: another limit is in force from the next decision on, and what was used stays used. If the
     * mode or {@code when-away} changes, requests that are waiting are asked for again.
     *
     * @throws IllegalArgumentException if the name is not known, or is that of a limit that each instance counts for itself
     */
    public ClusterLimiter clusterLimiter(String name) {
        return limits.cluster(name);
    }

    /**
     * Declares a default for this name, which the store counts for all instances, by the key of each request. Declaring it again
     * replaces it. If the document says that each instance counts for itself, an event says so, and the default is in force.
     *
     * @throws IllegalArgumentException if the store cannot count such a limit, or there is none
     * @throws IllegalStateException after {@link #close}
     */
    public ClusterLimiter clusterLimiter(String name, StrategySpec declared, Mode mode, WhenAway whenAway) {
        Objects.requireNonNull(declared, "declared");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(whenAway, "whenAway");
        NamedClusterLimit named =
                limits.cluster().declare(name, new ClusterStore.Setup(declared, mode, whenAway, whenAway, null));
        if (limits.local().plans().containsKey(name)) {
            configuration.declaredOtherwise(name, "cluster");
        }
        return named;
    }

    /**
     * The queue before the limiter of this name, always the same one. Where the document has no queue for it, nobody can wait.
     *
     * @throws IllegalArgumentException if the name is not known
     */
    public AdmissionQueue queue(String name) {
        return limits.local(name).queue();
    }

    /**
     * The executor of this name, always the same one, over threads of its own as its section {@code executor} says.
     *
     * @throws IllegalArgumentException if the name is not known
     * @throws IllegalStateException if the document does not describe its threads
     */
    public LimitedExecutor executor(String name) {
        return limits.local(name).executor();
    }

    /**
     * A new executor over this one, behind the queue of this name. It does not shut {@code delegate} down.
     *
     * @throws IllegalArgumentException if the name is not known
     */
    public LimitedExecutor executor(String name, Executor delegate) {
        return limits.local(name).executor(delegate);
    }

    /**
     * What adapts the limit of this name now; empty if nothing does.
     *
     * @throws IllegalArgumentException if the name is not known
     */
    public Optional<AdaptiveControl> control(String name) {
        return Optional.ofNullable(limits.local(name).control());
    }

    /**
     * The share of a quota that the limiter of this name has; empty if it has none.
     *
     * @throws IllegalArgumentException if the name is not known
     */
    public Optional<ClusterShare> share(String name) {
        return Optional.ofNullable(limits.local(name).share());
    }

    /**
     * A request with the key that the document wants for this name: the values of its dimensions, such as {@code user} and
     * {@code ip}, in the order of the document. Without dimensions, a request without a key.
     *
     * @param dimensions gives the value of a dimension; null or empty = it has none
     * @throws IllegalArgumentException if the name is not known
     */
    public Request request(String name, Function<String, @Nullable String> dimensions) {
        List<String> wanted = limits.dimensions(name);
        if (wanted.isEmpty()) {
            return Request.ONE;
        }
        if (wanted.size() == 1) {
            return Request.forKey(Objects.requireNonNullElse(dimensions.apply(wanted.get(0)), ""));
        }
        return Request.forKey(new Dimensions(wanted.stream()
                .map(dimension -> Objects.requireNonNullElse(dimensions.apply(dimension), ""))
                .toList()));
    }

    /** The section {@code values} of the document, for settings of the application. */
    public ConfigValues values() {
        return values;
    }

    /** The names that are known now, sorted. */
    public List<String> names() {
        return limits.names();
    }

    /**
     * Calls this with each event, after what it says is in force, in order and one at a time, on the executor of the registry.
     * What it throws is counted. While it blocks, its events wait: of more than 1000, the oldest are lost and counted as
     * failures.
     */
    public Registration onEvent(Consumer<? super ConfigEvent> listener) {
        return configuration.onEvent(listener);
    }

    /** Tells the observer of all limiters, queues, controls and executors, present and future. */
    public Registration observe(RegistryObserver observer) {
        return environment.observers().add(observer);
    }

    /** What is in force, and how the source is. */
    public ConfigStatus status() {
        return configuration.status();
    }

    /**
     * What each instance runs, as far as the source lets instances say so. Blocks until the source answers.
     *
     * @throws Exception if the source cannot be reached
     */
    public List<InstanceStatus> rollout() throws Exception {
        return configuration.rollout();
    }

    /** Closes the source and all limiters, queues and executors. Permits that are held stay valid. */
    @Override
    public void close() {
        configuration.close();
        limits.close();
    }

    /** Options of a registry. Not thread-safe. */
    public static final class Builder {
        @Nullable
        ConfigSource source;

        @Nullable
        Path lastGood;

        @Nullable
        SavedState state;

        @Nullable
        Executor executor;

        String instance = "instance-" + Long.toHexString(ProcessHandle.current().pid());
        Duration startWithin = Duration.ofSeconds(5);
        ClusterStore store = ClusterStore.NONE;
        Ticker ticker = Ticker.system();
        Alarm alarm = Alarm.system();
        DocumentReader reader = DocumentReader.system();

        @Nullable
        Consumer<? super ConfigEvent> listener;

        final Map<String, ClusterRegistry> shares = new HashMap<>();
        final Map<Class<?>, Function<String, ?>> converters = new HashMap<>();

        private Builder() {}

        /**
         * Converts texts of {@link #values} to this type.
         *
         * @param converter throws an exception for a text that it cannot convert
         */
        public <T> Builder converter(Class<T> type, Function<String, T> converter) {
            converters.put(Objects.requireNonNull(type, "type"), Objects.requireNonNull(converter, "converter"));
            return this;
        }

        /** Where the document is. The registry closes it. Default: none; all limits are declared in code. */
        public Builder source(ConfigSource where) {
            source = Objects.requireNonNull(where, "where");
            return this;
        }

        /**
         * A file in which the last good document is kept, so that a restart while the source is away begins with it. Its
         * directory must exist. Default: none.
         */
        public Builder lastGood(Path file) {
            lastGood = Objects.requireNonNull(file, "file");
            return this;
        }

        /**
         * The name of this instance, the same after a restart: staged documents reach it by this name. Default: one made of the
         * process id.
         */
        public Builder instance(String name) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("name must not be blank");
            }
            instance = name;
            return this;
        }

        /**
         * How long {@link #build} waits until the source has answered, or cannot be reached; zero = not at all. Default: 5
         * seconds.
         */
        public Builder startWithin(Duration time) {
            if (time.isNegative()) {
                throw new IllegalArgumentException("startWithin must be >= 0, was " + time);
            }
            startWithin = time;
            return this;
        }

        /** What adaptive controls start from and are saved to. Default: nothing. */
        public Builder restoring(SavedState saved) {
            state = Objects.requireNonNull(saved, "saved");
            return this;
        }

        /** The first listener, which also hears of the first document. Default: the log. */
        public Builder onEvent(Consumer<? super ConfigEvent> first) {
            listener = Objects.requireNonNull(first, "first");
            return this;
        }

        /**
         * The store that counts the limits with {@code scope: cluster}. The registry does not close it. Default: none; the
         * document may not have such limits.
         */
        public Builder cluster(ClusterLimits limits) {
            store = new ClusterStore(Objects.requireNonNull(limits, "limits"), store.instances());
            return this;
        }

        /**
         * Knows the instances, for {@code when-away: local} without a number. Default: nothing; the document must give the
         * number.
         */
        public Builder instances(Instances all) {
            store = new ClusterStore(store.limits(), Objects.requireNonNull(all, "all"));
            return this;
        }

        /**
         * A registry of instances, of which limits with a {@code share} get a part of a quota; the entry has the name of the
         * limiter. The {@link LimiterRegistry} does not close it. If a share ends or is replaced, what changes the limit blocks for
         * as long as the registry does.
         *
         * @param name as documents name it in {@code of}
         */
        public Builder shares(String name, ClusterRegistry registry) {
            shares.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(registry, "registry"));
            return this;
        }

        /**
         * How large a document may be. Default: 1 MiB and 100,000 keys and values. 100,000 limits with three fields each need some
         * 8 MiB and 800,000.
         *
         * @param bytes at least 1; sources read {@link Reading#MAX_BYTES} at most
         * @param values keys and values, at least 1
         * @throws IllegalArgumentException if one is less than 1
         */
        public Builder maxDocument(int bytes, int values) {
            reader = reader.within(bytes, values);
            return this;
        }

        /** The clock of all limiters. Default: {@link Ticker#system()}. */
        public Builder ticker(Ticker clock) {
            ticker = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Wakes the queues and the source. Default: {@link Alarm#system()}. */
        public Builder alarm(Alarm other) {
            alarm = Objects.requireNonNull(other, "other");
            return this;
        }

        /**
         * Reads the source, writes the last good document, calls the listeners, and keeps the shares of quotas. If it has a single thread, each of these
         * waits for the others. Default: daemon threads of the registry, one for each.
         */
        public Builder executor(Executor other) {
            executor = Objects.requireNonNull(other, "other");
            return this;
        }

        /** Builds the registry and starts reading. May block for the time of {@link #startWithin}. */
        public LimiterRegistry build() {
            return new LimiterRegistry(this);
        }
    }
}
