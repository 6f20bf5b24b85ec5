package dev.weir.config;

import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Patch;
import dev.weir.config.follow.Follower;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.config.value.ConfigValues;
import dev.weir.internal.Require;
import dev.weir.named.NamedLimiter;
import dev.weir.named.Names;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.PlanPatch;
import dev.weir.named.recorder.Preview;
import dev.weir.named.status.ConfigStatus;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
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
 * orphan: absence is not removal. Under {@code removed} a document removes a name: its default is in force; without one, permits
 * that are held stay valid, requests are refused as {@code CANCELLED} until the name returns, and the handle goes on then.
 *
 * <p>A document that is wrong, missing or older changes nothing, and neither does a source that cannot be reached: what was last
 * in force stays so. Each is reported once.
 *
 * <p>Thread-safe. The methods do not block, except where they say so.
 */
public final class LimiterRegistry implements AutoCloseable {
    private final Names names;
    private final DocumentReader reader;
    private final Follower follower;
    private final Map<Class<?>, Function<String, ?>> converters;
    /* Made when it is needed: conversions take time at the start. */
    private volatile @Nullable ConfigValues values;

    private LimiterRegistry(
            Names names, DocumentReader reader, Follower follower, Map<Class<?>, Function<String, ?>> converters) {
        this.names = names;
        this.reader = reader;
        this.follower = follower;
        this.converters = Map.copyOf(converters);
    }

    /** A builder of a registry. */
    public static Builder builder() {
        return new Builder();
    }

    /** A registry of the limits in this document, at work. May block for the time of {@link Builder#startWithin}. */
    public static LimiterRegistry of(ConfigSource source) {
        return builder().source(source).build();
    }

    /** The names alone: handles, executors, events and all that needs no document. The registry closes them. */
    public Names names() {
        return names;
    }

    /**
     * As {@link Names#limiter(String)}. A name that code has not declared and that nothing has yet waits for the first document,
     * as {@link Builder#build} does and until the time of {@link Builder#startWithin} has passed since then.
     */
    public NamedLimiter limiter(String name) {
        return names.limiter(name);
    }

    /** As {@link Names#limiter(String, StrategySpec)}. */
    public NamedLimiter limiter(String name, StrategySpec declared) {
        return names.limiter(name, declared);
    }

    /**
     * As {@link Names#override(String, PlanPatch, Duration, String, String)}, with a patch that is written as in a document.
     *
     * @param entry fields of a limit, in YAML or JSON: maps are merged, {@code null} drops one; over a default of code a whole limit
     */
    public Registration override(String name, String entry, Duration duration, String who, String why) {
        return names.override(name, patch("override", entry), duration, who, why);
    }

    /**
     * As {@link Names#override(String, PlanPatch, Duration, String, String, long)}, with a patch that is written as in a document.
     *
     * @param entry as for {@link #override(String, String, Duration, String, String)}
     * @param ifRevision the revision of the settings that the caller has seen
     * @throws RevisionChangedException if it is another one now; nothing is changed
     */
    public Registration override(
            String name, String entry, Duration duration, String who, String why, long ifRevision) {
        return names.override(name, patch("override", entry), duration, who, why, ifRevision);
    }

    private PlanPatch patch(String what, String entry) {
        return Patch.of(reader, what, Objects.requireNonNull(entry, "entry"));
    }

    /**
     * As {@link Names#preview}, with a patch that is written as in a document.
     *
     * @param entry as {@link #override} takes it
     */
    public Preview preview(String name, String entry) {
        return names.preview(name, patch("preview", entry));
    }

    /** The section {@code values} of the document, for settings of the application. */
    public ConfigValues values() {
        ConfigValues made = values;
        if (made == null) {
            made = new ConfigValues(follower.values(), converters);
            values = made;
        }
        return made;
    }

    /** The state of the document in force, and of the source. */
    public ConfigStatus status() {
        return follower.status();
    }

    /**
     * Puts the document that was offered last in force although its version or revision is lower, higher by more than 1,000,000,
     * or that of the document in force. One that cannot be read, that may be half of a
     * document, or that is held for other instances, stays so. Returns at once;
     * an event tells what was decided. {@code replaces} in a document does the same on all instances.
     *
     * @param version of the document, as its event or {@link #rollout} tells
     * @throws IllegalArgumentException if the document that was offered last has another version
     */
    public void accept(String version) {
        follower.accept(version);
    }

    /**
     * The states of the instances, as far as the source lets instances say so. Blocks until the source answers.
     *
     * @throws Exception if the source cannot be reached
     */
    public List<InstanceStatus> rollout() throws Exception {
        return follower.rollout();
    }

    /** Closes the source and all limiters, queues and executors. Permits that are held stay valid. */
    @Override
    public void close() {
        follower.close();
        names.close();
    }

    /** The options of a registry: those of its names, and those of its documents. Not thread-safe. */
    public static final class Builder extends Names.Options<Builder> {
        private final Map<Class<?>, Function<String, ?>> converters = new HashMap<>();
        private @Nullable ConfigSource source;
        private @Nullable Path lastGood;
        private @Nullable String instance;
        private Duration startWithin = Duration.ofSeconds(5);
        private boolean failsOnProblems;
        DocumentReader reader = DocumentReader.system();

        private Builder() {}

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
         * The time that {@link #build} waits until the source has answered, or cannot be reached; zero = not at all. What is left of the
         * time, {@link LimiterRegistry#limiter(String)} and the other methods with a name wait for the first document. A {@linkplain
         * ConfigSource#isLocal local} source is read by {@link #build} itself, however long that takes. Default: 5 seconds.
         */
        public Builder startWithin(Duration time) {
            Require.that(!time.isNegative(), "startWithin must be >= 0", time);
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

        /**
         * The largest size of a document. Default: 1 MiB and 100,000 keys and values. 100,000 limits with three fields each need some
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

        /**
         * Converts texts of {@link #values} to this type.
         *
         * @param converter throws an exception for a text that it cannot convert
         */
        public <T> Builder converter(Class<T> type, Function<String, T> converter) {
            converters.put(Objects.requireNonNull(type, "type"), Objects.requireNonNull(converter, "converter"));
            return this;
        }

        /**
         * Builds the registry and starts reading. May block for the time of {@link #startWithin}.
         *
         * @throws IllegalStateException if it {@linkplain #failOnProblems fails on problems} and there are some
         */
        @Override
        public LimiterRegistry build() {
            Names names = names();
            LimiterRegistry built = new LimiterRegistry(
                    names,
                    reader,
                    new Follower(names.table(), reader, source, lastGood, instance, startWithin, executor()),
                    converters);
            if (failsOnProblems) {
                try {
                    built.follower.checkFirst();
                } catch (IllegalStateException problems) {
                    built.close();
                    throw problems;
                }
            }
            return built;
        }
    }
}
