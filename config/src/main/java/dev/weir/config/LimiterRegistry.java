package dev.weir.config;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.adaptive.SavedState;
import dev.weir.config.document.Caps;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.entry.ClusterStore;
import dev.weir.config.entry.ClusterStore.Setup;
import dev.weir.config.entry.Environment;
import dev.weir.config.entry.JointBackend;
import dev.weir.config.entry.NameTable;
import dev.weir.config.entry.NamedEntry;
import dev.weir.config.entry.OverrideWriter;
import dev.weir.config.entry.WantedSettings.Declared;
import dev.weir.config.reload.Configuration;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.config.status.ConfigEvent;
import dev.weir.config.status.ConfigStatus;
import dev.weir.config.status.Explanation;
import dev.weir.config.status.RegistryObserver;
import dev.weir.config.value.ConfigValues;
import dev.weir.distributed.ClusterLimits;
import dev.weir.distributed.ClusterRegistry;
import dev.weir.distributed.Instances;
import dev.weir.distributed.Mode;
import dev.weir.distributed.WhenAway;
import dev.weir.executor.LimitedExecutor;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Limiters by name, built from one document and changed while they run.
 *
 * <pre>{@code
 * LimiterRegistry limits = LimiterRegistry.of(FileSource.of(file));
 * NamedLimiter checkout = limits.limiter("checkout", new Semaphore(20));
 * checkout.run(() -> sell());
 * }</pre>
 *
 * <p>A name is known once a document has it under {@code limits}, or code has declared it with a default. The document comes
 * before the default, and the {@link Caps} that code declares come before the document. A name that a document no longer has
 * gets its default back; without a default, its last good settings stay, and an event and {@link NamedLimiter#status} call it an
 * orphan: absence is not removal. Under {@code removed} a document removes a name: permits that are held stay valid, requests
 * are refused as {@code CANCELLED} until the name returns, and the handle goes on then.
 *
 * <p>A document that is wrong, missing or older changes nothing, and neither does a source that cannot be reached: what was last
 * in force stays so. Each is reported once.
 *
 * <p>Thread-safe. The methods do not block, except where they say so.
 */
public final class LimiterRegistry implements AutoCloseable {
    /* Each is there before its entry is in the table. */
    private final Map<String, NamedLimiter> handles = new ConcurrentHashMap<>();
    private final Environment environment;
    private final NameTable table;
    private final Configuration configuration;
    private final OverrideWriter overrides;
    private final Map<Class<?>, Function<String, ?>> converters;
    /* Made when it is needed: conversions take time at the start. */
    private volatile @Nullable ConfigValues values;

    private LimiterRegistry(Builder builder) {
        environment = builder.environment();
        table = new NameTable(environment, entry -> handles.put(entry.name(), new NamedLimiter(entry)));
        configuration = new Configuration(builder.options(), environment, table);
        overrides = new OverrideWriter(builder.reader, table, environment);
        converters = Map.copyOf(builder.converters);
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
     * The handle of this name, always the same one, whatever the documents say.
     *
     * <p>A name that code has not declared and that nothing has yet waits for the first document, as {@link Builder#build} does and
     * until the time of {@link Builder#startWithin} has passed since then.
     *
     * @throws IllegalArgumentException if no document ever had the name and no code declared it; the message says what is wrong
     *     with its settings, if it has any
     * @throws IllegalStateException if nobody knows the name, and the first document has not been read in time; the message says
     *     why
     */
    public NamedLimiter limiter(String name) {
        entry(name);
        return Objects.requireNonNull(handles.get(name));
    }

    private NamedEntry entry(String name) {
        NamedEntry known = table.find(name);
        return known == null ? table.entry(name, configuration.awaitFirst()) : known;
    }

    /**
     * The handle of several names for one request, all or nothing. Each call makes another one: make it once, and keep it.
     *
     * @throws IllegalArgumentException as {@link #limiter(String)} does; if a name is there twice, or counts by a key that the
     *     others do not have; or if a store counts more than one of the limits now, because not all that a store has granted can
     *     be taken back. If a document has it count more of them later, what it cannot refund stays spent
     * @throws IllegalStateException as {@link #limiter(String)} does
     */
    public NamedLimiter limiter(String first, String second, String... more) {
        return new NamedLimiter(JointBackend.of(Stream.concat(Stream.of(first, second), Stream.of(more))
                .map(this::entry)
                .toList()));
    }

    /** As {@link #limiter(String, StrategySpec, Caps)}, without caps. */
    public NamedLimiter limiter(String name, StrategySpec declared) {
        return limiter(name, declared, Caps.NONE);
    }

    /**
     * Declares a default for this name, and what neither a document nor an override may exceed. Declaring it again replaces both.
     * If what the document says exceeds the caps, an event says why, and what was in force before remains so if it is within the
     * caps; else the default is in force.
     *
     * @throws IllegalArgumentException if the name has control characters, or the specification creates no strategy within the caps
     * @throws IllegalStateException after {@link #close}
     */
    public NamedLimiter limiter(String name, StrategySpec declared, Caps caps) {
        Declared code = new Declared(LimitPlan.of(name, declared), null);
        table.declare(name, code, Objects.requireNonNull(caps, "caps"), rule -> configuration.exceeds(name, rule));
        return limiter(name);
    }

    /**
     * Declares a default for this name, which the store given to {@link Builder#cluster} counts for all instances, by the key of
     * each request. Declaring it again replaces it.
     *
     * @throws IllegalArgumentException if the store cannot count such a limit, or there is none
     * @throws IllegalStateException after {@link #close}
     */
    public NamedLimiter limiter(String name, StrategySpec declared, Mode mode, WhenAway whenAway) {
        Setup setup = new Setup(declared, mode, whenAway, whenAway, null);
        table.declare(name, new Declared(LimitPlan.of(name, declared), setup), Caps.NONE, rule -> {});
        return limiter(name);
    }

    /**
     * The executor of this name, always the same one, over threads of its own as its section {@code executor} says. It lives as
     * long as the registry, and all users share it: its {@code shutdown}, {@code shutdownNow} and {@code close} throw an {@code
     * IllegalStateException}. While the name is removed, tasks are rejected.
     *
     * @throws IllegalArgumentException as {@link #limiter(String)} does
     * @throws IllegalStateException if the document does not describe its threads, or if the limit counts by key: then each key
     *     has {@linkplain #executor(String, Executor, Request) an executor of its own}; and as {@link #limiter(String)} does
     */
    public LimitedExecutor executor(String name) {
        return entry(name).executor();
    }

    /**
     * A new executor over this one, under the limit of this name, with one permit for each task. Whoever makes it may shut it
     * down; {@code delegate} stays open. Its tasks are counted with those of all executors of the name.
     *
     * @throws IllegalArgumentException as {@link #limiter(String)} does
     * @throws IllegalStateException if the limit counts by key now, and as {@link #limiter(String)} does
     */
    public LimitedExecutor executor(String name, Executor delegate) {
        return executor(name, delegate, Request.ONE);
    }

    /**
     * As {@link #executor(String, Executor)}, for tasks with this request: with the key of a client, which {@link
     * NamedLimiter#request} makes, or for more than one permit each.
     *
     * @throws IllegalArgumentException as {@link #limiter(String)} does
     * @throws IllegalStateException if the limit counts by a key now that the request lacks
     */
    public LimitedExecutor executor(String name, Executor delegate, Request each) {
        return entry(name).executor(delegate, each);
    }

    /**
     * Puts a patch over the settings of a name by hand, until a time: what it does not name stays, such as the queue. It stays a patch
     * when the document changes; if it does not fit then, an event says so, and what it made before stays. At its end, or if the
     * registration is closed, the document's return. A second one replaces the first. A restart ends it. In force when this
     * returns, unless another thread is changing the name: then {@link NamedLimiter#status} calls it pending.
     *
     * @param entry fields of a limit, in YAML or JSON: maps are merged, {@code null} drops one; over a default of code a whole limit
     * @param duration at least 1 ns
     * @param who gives it, not blank
     * @param why it is needed, not blank
     * @throws IllegalArgumentException if an argument or the patched settings are wrong, or exceed the caps of the code
     * @throws IllegalStateException as {@link #limiter(String)} does
     */
    public Registration override(String name, String entry, Duration duration, String who, String why) {
        return overrides.put(entry(name), entry, duration, who, why);
    }

    /** The reasons for what is in force for this name. Throws as {@link #limiter(String)} does. */
    public Explanation explain(String name) {
        return configuration.explain(entry(name));
    }

    /** The section {@code values} of the document, for settings of the application. */
    public ConfigValues values() {
        ConfigValues made = values;
        if (made == null) {
            made = new ConfigValues(configuration.values(), converters);
            values = made;
        }
        return made;
    }

    /** The names that are known now, sorted. */
    public List<String> names() {
        return table.names();
    }

    /**
     * Calls this with each event, after what it says is in force, in order and one at a time, on the executor of the registry.
     * What it throws is counted. While it blocks, its events wait: of more than 1000, the oldest are lost and counted.
     */
    public Registration onEvent(Consumer<? super ConfigEvent> listener) {
        return environment.events().add(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Tells the observer of all limiters, queues, controls and executors: at once of those that are there, and on the executor of
     * the registry of what comes and goes. While it blocks, it misses that; nothing waits for it.
     */
    public Registration observe(RegistryObserver observer) {
        return environment.observers().add(Objects.requireNonNull(observer, "observer"));
    }

    /** What is in force, and how the source is. */
    public ConfigStatus status() {
        return configuration.status();
    }

    /**
     * Puts the document that was offered last in force although its version or revision is lower, higher by more than 1,000,000,
     * or that of the document in force. A damaged document, or one that is held for another reason, stays so. Returns at once;
     * an event tells what was decided. {@code replaces} in a document does the same on all instances.
     *
     * @param version of the document, as its event or {@link #rollout} tells
     * @throws IllegalArgumentException if the document that was offered last has another version
     */
    public void accept(String version) {
        configuration.accept(version);
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
        table.close();
    }

    /** Options of a registry. Not thread-safe. */
    public static final class Builder {
        private @Nullable ConfigSource source;
        private @Nullable SavedState state;
        private @Nullable Path lastGood;
        private @Nullable Executor executor;
        private @Nullable String instance;
        private @Nullable Consumer<? super ConfigEvent> listener;
        private Duration startWithin = Duration.ofSeconds(5);
        private ClusterStore store = ClusterStore.NONE;
        private Ticker ticker = Ticker.system();
        private InstantSource clock = InstantSource.system();
        private Function<String, Function<? super Throwable, Outcome>> outcomes = name -> Outcome::of;
        private Alarm alarm = Alarm.system();
        private boolean failsOnProblems;
        DocumentReader reader = DocumentReader.system();

        private final Map<String, ClusterRegistry> shares = new HashMap<>();
        private final Map<Class<?>, Function<String, ?>> converters = new HashMap<>();

        private Builder() {}

        Environment environment() {
            return Environment.of(ticker, clock, alarm, store, shares, executor, state, outcomes);
        }

        private Configuration.Options options() {
            return new Configuration.Options(source, lastGood, instance, startWithin, listener, executor, reader);
        }

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
         * The name of this instance, the same after a restart: staged documents reach it by this name, and {@link #rollout} lists
         * it. Default: the name of the host ({@code HOSTNAME}) and a random part, another one after each restart; then a staged
         * document has a problem that says so.
         */
        public Builder instance(String name) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("name must not be blank");
            }
            instance = name;
            return this;
        }

        /**
         * How long {@link #build} waits until the source has answered, or cannot be reached; zero = not at all. What is left of the
         * time, {@link LimiterRegistry#limiter(String)} and the other methods with a name wait for the first document. A {@linkplain
         * ConfigSource#isLocal local} source is read by {@link #build} itself, however long that takes. Default: 5 seconds.
         */
        public Builder startWithin(Duration time) {
            if (time.isNegative()) {
                throw new IllegalArgumentException("startWithin must be >= 0, was " + time);
            }
            startWithin = time;
            return this;
        }

        /**
         * Has {@link #build} throw an {@link IllegalStateException} with all problems of the first document, if it has any, and
         * also if none could be read within {@link #startWithin}; if the source cannot be read, the last good document is the
         * first. Default: the registry starts with what is right in it, or with what code declares.
         */
        public Builder failOnProblems() {
            failsOnProblems = true;
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
         * limiter. It is not closed. If a share ends or is replaced, what changes the limit blocks for as long as this does.
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

        /** The time of day at which documents are put in force, for events and status. Default: that of the system. */
        public Builder clock(InstantSource wall) {
            clock = Objects.requireNonNull(wall, "wall");
            return this;
        }

        /**
         * The outcome of work that threw, by the name of the limit, for {@code call}, {@code run} and {@code releaseAfter} in this
         * process. It stays the same through every change of the limit. Default: {@link Outcome#of}.
         *
         * @param classifiers gives the classifier of a name, once
         */
        public Builder outcomes(Function<String, Function<? super Throwable, Outcome>> classifiers) {
            outcomes = Objects.requireNonNull(classifiers, "classifiers");
            return this;
        }

        /** Wakes the queues and the source. Default: {@link Alarm#system()}. */
        public Builder alarm(Alarm other) {
            alarm = Objects.requireNonNull(other, "other");
            return this;
        }

        /**
         * Reads the source, writes the last good document, calls the listeners, keeps the shares of quotas, and completes the futures of requests that
         * have gone on from one limiter to another. If it has a single thread, each of these waits for the others. Default: daemon threads of the registry, one for each.
         */
        public Builder executor(Executor other) {
            executor = Objects.requireNonNull(other, "other");
            return this;
        }

        /**
         * Builds the registry and starts reading. May block for the time of {@link #startWithin}.
         *
         * @throws IllegalStateException if it {@linkplain #failOnProblems fails on problems} and there are some
         */
        public LimiterRegistry build() {
            LimiterRegistry built = new LimiterRegistry(this);
            if (failsOnProblems) {
                try {
                    built.configuration.checkFirst();
                } catch (IllegalStateException problems) {
                    built.close();
                    throw problems;
                }
            }
            return built;
        }
    }
}
