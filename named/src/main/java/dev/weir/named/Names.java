package dev.weir.named;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.adaptive.SavedState;
import dev.weir.executor.LimitedExecutor;
import dev.weir.internal.Workers;
import dev.weir.named.backend.Environment;
import dev.weir.named.backend.Events;
import dev.weir.named.backend.GivenStore;
import dev.weir.named.backend.GivenStore.Setup;
import dev.weir.named.backend.NameTable;
import dev.weir.named.backend.Observers;
import dev.weir.named.backend.OverrideWriter;
import dev.weir.named.backend.WantedSettings.Declared;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.PlanPatch;
import dev.weir.named.recorder.Preview;
import dev.weir.named.recorder.Recorder;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.Explanation;
import dev.weir.named.status.LimitStatus;
import dev.weir.named.status.RegistryObserver;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.named.status.TimedEvent;
import dev.weir.share.Instances;
import dev.weir.share.ShareRegistry;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.Store;
import dev.weir.store.WhenAway;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Limits by name, which code declares and caps, and which may change while they run. Who puts settings in force comes in this
 * order: the {@link Caps} of the code, an override by hand, a document if something follows one, the default of the code.
 *
 * <pre>{@code
 * Names names = Names.builder().build();
 * NamedLimiter checkout = names.limiter("checkout", new Semaphore(20));
 * checkout.run(() -> sell());
 * }</pre>
 *
 * <p>Thread-safe. The methods do not block, except where they say so.
 */
public final class Names implements AutoCloseable {
    /* Each is there before its entry is in the table. */
    private final Map<String, NamedLimiter> handles = new ConcurrentHashMap<>();
    private final NameTable table;
    private final OverrideWriter overrides;
    private final Recorder recorder;

    private Names(Options<?> options) {
        table = new NameTable(options.environment(), entry -> handles.put(entry.name(), new NamedLimiter(entry)));
        overrides = new OverrideWriter(table);
        recorder = Recorder.of(table);
    }

    /** A builder of names that code declares. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The handle of this name, always the same one, whatever is put in force.
     *
     * <p>A name that nobody knows yet waits for the first document, if something follows a source of documents.
     *
     * @throws IllegalArgumentException if no document ever had the name and no code declared it; the message says what is wrong
     *     with its settings, if it has any
     * @throws IllegalStateException if nobody knows the name, and the first document has not been read in time; the message says
     *     why
     */
    public NamedLimiter limiter(String name) {
        table.entry(name);
        return Objects.requireNonNull(handles.get(name));
    }

    /**
     * The handle of several names for one request, all or nothing. Each call makes another one: make it once, and keep it.
     *
     * @throws IllegalArgumentException as {@link #limiter(String)} does; if a name is there twice; if one counts by the whole key
     *     of a request and another by dimensions of a document; or if a store counts more than one of the limits now, because not
     *     all that a store has granted can be taken back. If a document has it count more of them later, what it cannot refund
     *     stays spent
     * @throws IllegalStateException as {@link #limiter(String)} does
     */
    public NamedLimiter limiter(String first, String second, String... more) {
        return NamedLimiter.of(Stream.concat(Stream.of(first, second), Stream.of(more))
                .map(this::limiter)
                .toList());
    }

    /** As {@link #limiter(String, StrategySpec, Caps)}, without caps. */
    public NamedLimiter limiter(String name, StrategySpec declared) {
        return limiter(name, declared, Caps.NONE);
    }

    /**
     * Declares a default for this name, and what neither a document nor an override may exceed. Declaring it again replaces both.
     * If what the document says exceeds the caps, an event says why, and what was in force before remains so if it is within the
     * caps; else the default is in force. An override that exceeds the caps ends, and an event says so.
     *
     * @throws IllegalArgumentException if the name has control characters, or the specification creates no strategy within the caps
     * @throws IllegalStateException after {@link #close}
     */
    public NamedLimiter limiter(String name, StrategySpec declared, Caps caps) {
        Declared code = new Declared(LimitPlan.of(name, declared), null);
        table.declare(name, code, Objects.requireNonNull(caps, "caps"));
        return limiter(name);
    }

    /**
     * Declares a default for this name, which the store given to {@link Options#store} counts for all instances, by the key of
     * each request. Declaring it again replaces it.
     *
     * @throws IllegalArgumentException if the store cannot count such a limit, or there is none
     * @throws IllegalStateException after {@link #close}
     */
    public NamedLimiter limiter(String name, StrategySpec declared, Mode mode, WhenAway whenAway) {
        Setup setup = new Setup(declared, mode, whenAway, whenAway, null);
        table.declare(name, new Declared(LimitPlan.of(name, declared), setup), Caps.NONE);
        return limiter(name);
    }

    /**
     * The executor of this name, always the same one, over threads of its own as its section {@code executor} says. It lives as
     * long as the names, and all users share it: its {@code shutdown}, {@code shutdownNow} and {@code close} throw an {@code
     * IllegalStateException}. While the name is removed, tasks are rejected.
     *
     * @throws IllegalArgumentException as {@link #limiter(String)} does
     * @throws IllegalStateException if no document describes its threads, as code cannot, or if the limit counts by key: then each key
     *     has {@linkplain #executor(String, Executor, Request) an executor of its own}; and as {@link #limiter(String)} does
     */
    public LimitedExecutor executor(String name) {
        return table.entry(name).executor();
    }

    /**
     * A new executor over this one, under the limit of this name, with one permit for each task. Its maker may shut it
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
        return table.entry(name).executor(delegate, each);
    }

    /**
     * Puts a patch over the settings of a name by hand, until a time: what it does not name stays, such as the queue. It stays a patch
     * when the settings below it change; if it does not fit then, an event says so, and what it made before stays. At its end, or if
     * the registration is closed, the settings below it return. A second one replaces the first. A restart ends it. In force when
     * this returns, unless another thread is changing the name: then {@link NamedLimiter#status} calls it pending.
     *
     * @param patch as a document has it, by {@code dev.weir.config.document.Patch}; one of your own makes the whole plan
     * @param duration at least 1 ns
     * @param who gives it, not blank
     * @param why it is needed, not blank
     * @throws IllegalArgumentException if an argument or the patched settings are wrong, or exceed the caps of the code
     * @throws IllegalStateException as {@link #limiter(String)} does
     */
    public Registration override(String name, PlanPatch patch, Duration duration, String who, String why) {
        return overrides.put(table.entry(name), patch, duration, who, why, null);
    }

    /**
     * As {@link #override(String, PlanPatch, Duration, String, String)}, if nobody has changed the settings meanwhile.
     *
     * @param ifRevision the revision of the settings that the caller has seen, of {@link LimitStatus#revision}
     * @throws RevisionChangedException if it is another one now; nothing is changed
     */
    public Registration override(
            String name, PlanPatch patch, Duration duration, String who, String why, long ifRevision) {
        return overrides.put(table.entry(name), patch, duration, who, why, ifRevision);
    }

    /**
     * The result that an {@link #override} by this patch would have had for the requests of the last minutes: changes nothing,
     * and replays what the {@link #recorder} has recorded, at most the newest million of requests. Blocks for that long: about
     * 0.1 s for 20,000 requests, and some seconds for a million, on this thread, which may be interrupted.
     *
     * @param patch as {@link #override} takes it
     * @throws IllegalArgumentException as {@link #override} does
     * @throws IllegalStateException if nothing is recorded of the limit, if this process does not count it, and as {@link
     *     #limiter(String)} does
     * @throws java.util.concurrent.CancellationException if the thread is interrupted; it stays so
     */
    public Preview preview(String name, PlanPatch patch) {
        String change = patch.settings().entrySet().stream()
                .map(setting -> setting.getKey() + ": " + setting.getValue())
                .collect(Collectors.joining(", "));
        return recorder.preview(change, overrides.planned(table.entry(name), patch));
    }

    /** The reasons for what is in force for this name. Throws as {@link #limiter(String)} does. */
    public Explanation explain(String name) {
        return table.explain(name);
    }

    /** The names that have settings now, sorted. */
    public List<String> names() {
        return table.names();
    }

    /**
     * The last 200 events, the oldest first; fewer if they have more than 10,000 differences, problems and names together. The
     * last one is always there.
     */
    public List<TimedEvent> events() {
        return table.environment().events().last();
    }

    /**
     * Calls this with each event, after what it says is in force, in order and one at a time, on the executor of the names.
     * What it throws is counted. While it blocks, its events wait: of more than 1000, the oldest are lost and counted.
     */
    public Registration onEvent(Consumer<? super ConfigEvent> listener) {
        return table.environment().events().add(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Tells the observer of all limiters, queues, controls and executors: at once of those that are there, and on the executor of
     * the names of what comes and goes. While it blocks, it misses that; nothing waits for it.
     */
    public Registration observe(RegistryObserver observer) {
        return table.environment().observers().add(Objects.requireNonNull(observer, "observer"));
    }

    /** Records what these limits do, once somebody asks it to. Always the same one. */
    public Recorder recorder() {
        return recorder;
    }

    /** The table of the entries, for who follows a source of documents. Its type is not for others. */
    public NameTable table() {
        return table;
    }

    /** Closes all limiters, queues and executors. Permits that are held stay valid. */
    @Override
    public void close() {
        table.close();
    }

    /** A builder of names that nobody but code sets. Not thread-safe. */
    public static final class Builder extends Options<Builder> {
        private Builder() {}

        @Override
        public Names build() {
            return names();
        }
    }

    /**
     * The options of names. Not thread-safe.
     *
     * @param <B> the builder that has them
     */
    public abstract static class Options<B extends Options<B>> {
        private final Map<String, ShareRegistry> shares = new HashMap<>();
        private @Nullable SavedState state;
        private @Nullable Executor executor;
        private Consumer<? super ConfigEvent> listener = new ConfigLog();
        private GivenStore store = GivenStore.NONE;
        private Ticker ticker = Ticker.system();
        private InstantSource clock = InstantSource.system();
        private Function<String, Function<? super Throwable, Outcome>> outcomes = name -> Outcome::of;
        private Alarm alarm = Alarm.system();

        /** The options as they are usual. */
        protected Options() {}

        /** Builds the names. */
        public abstract AutoCloseable build();

        /** Names with these options, which nothing has yet. */
        protected final Names names() {
            return new Names(this);
        }

        /** Reads the source of documents and keeps the last good one; null = threads of its own. */
        protected final @Nullable Executor executor() {
            return executor;
        }

        private Environment environment() {
            AtomicLong failures = new AtomicLong();
            Executor telling = executor == null ? new Workers("weir-config-events") : executor;
            Events events = new Events(clock, telling, failures);
            Registration unused = events.add(listener);
            Observers observers = new Observers(telling, failures);
            return new Environment(
                    ticker,
                    clock,
                    alarm,
                    events,
                    observers,
                    store,
                    Map.copyOf(shares),
                    executor,
                    telling,
                    state,
                    outcomes,
                    failures);
        }

        @SuppressWarnings("unchecked")
        private B self() {
            return (B) this;
        }

        /** Has adaptive controls start from this state, and saves them to it. Default: nothing. */
        public final B restoring(SavedState saved) {
            state = Objects.requireNonNull(saved, "saved");
            return self();
        }

        /** The first listener, which also hears of the first document. Default: the log. */
        public final B onEvent(Consumer<? super ConfigEvent> first) {
            listener = Objects.requireNonNull(first, "first");
            return self();
        }

        /**
         * The store that counts limits for all instances, such as those with {@code scope: store}. It is not closed. Default:
         * none; there may be no such limits.
         */
        public final B store(Store store) {
            this.store = new GivenStore(Objects.requireNonNull(store, "store"), this.store.instances());
            return self();
        }

        /**
         * Knows the instances, for {@code when-away: local} without a number. Default: nothing; the document must give the
         * number.
         */
        public final B instances(Instances all) {
            store = new GivenStore(store.store(), Objects.requireNonNull(all, "all"));
            return self();
        }

        /**
         * A registry of instances, of which limits with a {@code share} get a part of a quota; the entry has the name of the
         * limiter. It is not closed. If a share ends or is replaced, what changes the limit blocks for as long as this does.
         *
         * @param name as documents name it in {@code of}
         */
        public final B shares(String name, ShareRegistry registry) {
            shares.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(registry, "registry"));
            return self();
        }

        /** The clock of all limiters. Default: {@link Ticker#system()}. */
        public final B ticker(Ticker clock) {
            ticker = Objects.requireNonNull(clock, "clock");
            return self();
        }

        /** The time of day, for events and status. Default: that of the system. */
        public final B clock(InstantSource wall) {
            clock = Objects.requireNonNull(wall, "wall");
            return self();
        }

        /**
         * The outcome of work that threw, by the name of the limit, for {@code call}, {@code run} and {@code releaseAfter} in this
         * process. It stays the same through every change of the limit. Default: {@link Outcome#of}.
         *
         * @param classifiers gives the classifier of a name, once
         */
        public final B outcomes(Function<String, Function<? super Throwable, Outcome>> classifiers) {
            outcomes = Objects.requireNonNull(classifiers, "classifiers");
            return self();
        }

        /** Wakes the queues, and the source of documents. Default: {@link Alarm#system()}. */
        public final B alarm(Alarm other) {
            alarm = Objects.requireNonNull(other, "other");
            return self();
        }

        /**
         * Calls the listeners, keeps the shares of quotas, and completes the futures of requests that have gone on from one limiter
         * to another; reads the source of documents and writes the last good one. If it has a single thread, each of these waits
         * for the others. Default: daemon threads, some for each.
         */
        public final B executor(Executor other) {
            executor = Objects.requireNonNull(other, "other");
            return self();
        }
    }
}
