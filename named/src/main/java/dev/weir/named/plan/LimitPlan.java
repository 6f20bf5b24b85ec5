package dev.weir.named.plan;

import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.queue.QueueSpec;
import dev.weir.share.Instances;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.WhenAway;
import dev.weir.succession.Parts;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The checked settings of one limit, ready to be put in force. Two plans are alike if their {@link #settings} are.
 *
 * @param name the name of the limiter
 * @param spec the limit
 * @param dimensions the names by which {@code spec} counts, in the order in which the document has them first, which is that of a
 *     key in a store; empty = the document names none
 * @param options the values of the options that are given, by name; {@link #get} reads one
 * @param stored how a store counts the limit for all instances; null = each instance counts for itself
 * @param origin where it is in the document
 * @param settings everything that the document says of it, also by templates, by path and as text, in order of the path: {@code
 *     "queue.max-wait"} -> {@code "200ms"}; empty for a default of the code
 */
public record LimitPlan(
        String name,
        StrategySpec spec,
        List<String> dimensions,
        Map<String, Object> options,
        @Nullable Stored stored,
        Origin origin,
        SortedMap<String, String> settings) {
    /** The share of the limit that is enforced, 0 to 1. */
    public static final Option<Double> ENFORCE = new Option<>("enforce", 1.0);

    /** One held permit in so many is tracked, for the report of permits that are not released; 0 = none. */
    public static final Option<Long> TRACK_PERMITS = new Option<>("track-permits", 0L);

    /** True if the keys with the most requests are recorded. */
    public static final Option<Boolean> HOT_KEYS = new Option<>("hot-keys", false);

    /** The answer to a request without the key that the limit counts by. */
    public static final Option<KeyMissing> KEY_MISSING = new Option<>("key-missing", KeyMissing.REFUSE);

    /** The queue before the limiter. */
    public static final Option<QueueSpec> QUEUE = new Option<>("queue", null);

    /** The controller that adapts the limit, with its signals. */
    public static final Option<Adaptive> ADAPTIVE = new Option<>("adaptive", null);

    /** The threads of its executor. */
    public static final Option<Pool> EXECUTOR = new Option<>("executor", null);

    /** The quota that all instances share, of which the limiter gets a part. */
    public static final Option<Share> SHARE = new Option<>("share", null);

    /** Checks the components. */
    public LimitPlan {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(spec, "spec");
        Objects.requireNonNull(origin, "origin");
        dimensions = List.copyOf(dimensions);
        options = Map.copyOf(options);
        settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
    }

    /** The plan of a default that code declares: a limit and nothing else. */
    public static LimitPlan of(String name, StrategySpec spec) {
        return new LimitPlan(name, spec, List.of(), Map.of(), null, Origin.CODE, new TreeMap<>());
    }

    /** The same from another place. */
    public LimitPlan from(Origin other) {
        return new LimitPlan(name, spec, dimensions, options, stored, other, settings);
    }

    /**
     * An option of a limit.
     *
     * @param name as in documents
     * @param fallback the value where none is given; null = none
     * @param <T> the type of its values
     */
    public record Option<T>(String name, @Nullable T fallback) {}

    /** The value of an option that has a fallback. */
    public <T> T get(Option<T> option) {
        return Objects.requireNonNull(find(option), option.name);
    }

    /** The value of an option; its fallback, if none is given; null = neither. */
    @SuppressWarnings("unchecked")
    public <T> @Nullable T find(Option<T> option) {
        T value = (T) options.get(option.name);
        return value == null ? option.fallback : value;
    }

    /**
     * True if the limit has a queue because it is adaptive: the document says nothing of one. It has {@code adaptive-lifo}, and is
     * as large as {@link Caps} let it be.
     */
    public boolean isQueuedByAdaptive() {
        return find(QUEUE) != null
                && settings.keySet().stream().anyMatch(path -> isOf(ADAPTIVE, path))
                && settings.keySet().stream().noneMatch(path -> isOf(QUEUE, path));
    }

    private static boolean isOf(Option<?> option, String path) {
        return path.equals(option.name) || path.startsWith(option.name + ".");
    }

    /** The same with another value of an option; null = as if none were given. */
    public <T> LimitPlan with(Option<T> option, @Nullable T value) {
        Map<String, Object> others = new HashMap<>(options);
        others.compute(option.name, (name, before) -> value);
        return new LimitPlan(name, spec, dimensions, others, stored, origin, settings);
    }

    /**
     * As {@link #settings}, and the queue that the limit has because it is adaptive; a default of the code is one setting, {@code
     * limit}.
     */
    public Map<String, String> texts() {
        if (settings.isEmpty()) {
            return Map.of("limit", spec.toString());
        }
        if (!isQueuedByAdaptive()) {
            return settings;
        }
        SortedMap<String, String> texts = new TreeMap<>(settings);
        texts.put(QUEUE.name, "adaptive-lifo by adaptive");
        return texts;
    }

    /** One line: {@code "concurrency 40, queue.capacity 100"}. */
    public String text() {
        return texts().entrySet().stream()
                .map(setting -> setting.getKey() + " " + setting.getValue())
                .collect(Collectors.joining(", "));
    }

    /** True if a document says the same of the limit as in the other plan, wherever in it; of code, if the limit is the same. */
    public boolean isSame(@Nullable LimitPlan other) {
        return this == other
                || (other != null
                        && settings.equals(other.settings)
                        && (!settings.isEmpty() || spec.equals(other.spec)));
    }

    /** True if the limit, or one in it, counts by key. */
    public boolean isKeyed() {
        return stored == null ? spec.parts().stream().anyMatch(Keyed.class::isInstance) : stored.keyed();
    }

    /**
     * The limit for a share of the quota: it has so many permits, and its burst is in proportion.
     *
     * @param permits at least 1
     */
    public StrategySpec specFor(long permits) {
        return scaled(spec, permits);
    }

    /** The largest limit that the limiter may get without an adaptive control: by its share, that of the whole quota. */
    public StrategySpec largest() {
        Share share = find(SHARE);
        return share == null ? spec : specFor(Math.max(1, share.quota));
    }

    /** The same with so many permits, and a burst in proportion, which is at least one permit. */
    public static StrategySpec scaled(StrategySpec spec, long permits) {
        if (spec instanceof Keyed keyed) {
            return keyed.withPerKey(scaled(keyed.perKey(), permits));
        }
        if (spec instanceof Settled settled) {
            return new Settled(scaled(settled.rate(), permits), settled.isOnce());
        }
        if (spec instanceof TokenBucket bucket) {
            long capacity = Math.max(1, part(bucket.capacity(), permits, bucket.permits()));
            boolean isFull = bucket.initial() == bucket.capacity();
            long initial = isFull ? capacity : Math.min(capacity, part(bucket.initial(), permits, bucket.permits()));
            return new TokenBucket(permits, bucket.period(), capacity, initial, bucket.refill());
        }
        return Parts.of(spec).withLimit(permits);
    }

    /* Rounded down: the parts of all instances add up to no more than the whole. */
    private static long part(long whole, long permits, long all) {
        BigInteger part =
                BigInteger.valueOf(whole).multiply(BigInteger.valueOf(permits)).divide(BigInteger.valueOf(all));
        return part.min(BigInteger.valueOf(1L << 60)).longValueExact();
    }

    /**
     * The adaptive control of a limit: its bounds, its controller and its signals.
     *
     * @param bounds what the limit stays within
     * @param controller creates a controller for one limiter
     * @param signals create the signals it reads
     */
    public record Adaptive(
            Bounds bounds, Supplier<? extends Controller> controller, List<Supplier<? extends Signal>> signals) {
        /** The signal that a limit with a queue always has: the age of the request that has waited longest, in seconds. */
        public static final String QUEUE_DELAY = "queue-delay";
    }

    /**
     * The threads of an executor.
     *
     * @param core how many threads are kept while there is nothing to do
     * @param max how many threads there are at most
     * @param queueCapacity how many tasks may wait for a thread
     * @param keepAlive how long a thread beyond {@code core} waits for work
     */
    public record Pool(int core, int max, int queueCapacity, Duration keepAlive) {}

    /**
     * The settings of a limit that a store counts for all instances.
     *
     * @param mode how this instance uses the store
     * @param away what is granted while the store does not answer
     * @param instances how many instances there are, for {@link Away#LOCAL}; 0 = code knows
     * @param keyed whether the store counts by the key of a request; otherwise all requests count as one
     * @param line of the limit in the document
     * @param column of the limit in the document
     */
    public record Stored(Mode mode, Away away, long instances, boolean keyed, int line, int column) {
        /**
         * The rule of what is granted while the store does not answer.
         *
         * @param known knows the instances; null = nobody does
         * @throws IllegalArgumentException if it is a part of the limit, and neither says of how many
         */
        public WhenAway whenAway(@Nullable Instances known) {
            if (away == Away.OPEN) {
                return WhenAway.open();
            }
            if (away == Away.CLOSED) {
                return WhenAway.closed();
            }
            if (instances > 0) {
                return WhenAway.local(Math.toIntExact(instances));
            }
            if (known == null) {
                throw new IllegalArgumentException(
                        "when-away must say the number of instances, because code does not give it");
            }
            return WhenAway.local(known);
        }
    }

    /** The decision on requests while a store does not answer. */
    public enum Away {
        /** This instance's part of the limit. */
        LOCAL,
        /** Every request. */
        OPEN,
        /** No request. */
        CLOSED
    }

    /** The answer to a request without the key that a limit counts by. */
    public enum KeyMissing {
        /** It is refused. */
        REFUSE,
        /** It counts under one key that all such requests share. */
        SHARE,
        /** It is granted, and this limit does not count it. */
        SKIP
    }

    /**
     * A quota that all instances share.
     *
     * @param quota in the unit of the limit
     * @param of the name that code gives to the registry of the instances
     * @param by how the quota is divided
     * @param weight of this instance, with {@link By#WEIGHT}; else 1
     * @param degraded what this instance has at most while it cannot reach the registry
     * @param line of the share in the document
     * @param column of the share in the document
     */
    public record Share(long quota, String of, By by, long weight, long degraded, int line, int column) {}

    /** The rule by which a quota is divided. */
    public enum By {
        /** Evenly. */
        EQUAL,
        /** In proportion to weights. */
        WEIGHT,
        /** By demand. */
        DEMAND
    }
}
