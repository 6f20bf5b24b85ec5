package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Ticker;
import dev.weir.internal.Require;
import dev.weir.spi.StrategySpec;
import java.util.Objects;
import java.util.function.Function;

/**
 * The factory of limiters: {@link #of} makes one of a name and a specification, which is the algorithm with its numbers.
 *
 * <p>The algorithms that the module {@code weir-algorithms} has are records of the package {@code dev.weir.algorithms}:
 *
 * <ul>
 *   <li>rates, which spend permits: {@code TokenBucket} (the usual choice), {@code LeakyBucket}, {@code Gcra}, {@code
 *       FixedWindow}, {@code SlidingWindow}, {@code SlidingLog}, {@code FirstHitQuota}, and {@code Pacer}, which spaces
 *       requests evenly;
 *   <li>concurrency, whose permits are held until they are released: {@code Semaphore} (the usual choice), {@code Counter},
 *       {@code Partitioned} with a guarantee for each key, and {@code PriorityShedding};
 *   <li>made of others: {@code AllOf} for several limits at once, {@code WarmUp} for a cold start, and {@code
 *       dev.weir.keyed.Keyed} for a limit of each key;
 *   <li>around the calls of a client, in {@code dev.weir.budget}: {@code RetryBudget}, {@code HedgeBudget} and {@code
 *       AdaptiveThrottle}, which learn from how the calls end.
 * </ul>
 *
 * <p>Another algorithm is a {@link StrategySpec} that you write. {@code dev.weir.queue.AdmissionQueue} lets requests wait before a
 * limiter, {@code dev.weir.adaptive.AdaptiveControl} adapts its limit, and {@code dev.weir.config.LimiterRegistry} makes
 * limiters from a document that may change. From the sample {@code S02_RateLimiterInFiveLines}:
 *
 * <pre>{@code
 * Limiter limiter = Limiters.of("mail", TokenBucket.of(3, Duration.ofHours(1)));
 * limiter.run(
 *         () -> System.out.println(mail + " sent"),
 *         refused -> System.out.println(mail + " refused: " + refused.reason() + ", ask again in "
 *                 + Math.round(refused.retryAfterNanos() / 60e9) + " minutes"));
 * }</pre>
 */
public final class Limiters {
    private Limiters() {}

    /**
     * A limiter with the system's clock and no observers, such as {@code Limiters.of("db", new Semaphore(10))} or {@code
     * Limiters.of("mail", TokenBucket.of(3, Duration.ofHours(1)))}. Thread-safe and open until it is {@linkplain
     * ManagedLimiter#close closed}; {@link ManagedLimiter#reconfigure} replaces the specification while it runs.
     *
     * @param name the name in rejections and metrics, not blank
     * @param spec the algorithm with its numbers: a record of {@code dev.weir.algorithms} or {@code
     *     dev.weir.keyed}, or another {@link StrategySpec}; not null
     * @throws IllegalArgumentException if the name is blank, or the specification cannot create its strategy
     */
    public static ManagedLimiter of(String name, StrategySpec spec) {
        return builder(name, spec).build();
    }

    /**
     * A builder of a limiter.
     *
     * @param name the name in rejections and metrics, not blank
     * @throws IllegalArgumentException if the name is blank
     */
    public static Builder builder(String name, StrategySpec spec) {
        return new Builder(name, spec);
    }

    /** Options of a limiter. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final StrategySpec spec;
        private Ticker ticker = Ticker.system();
        private Function<? super Throwable, Outcome> classifier = Outcome::of;
        private int trackOneIn;

        private Builder(String name, StrategySpec spec) {
            this.name = Objects.requireNonNull(name, "name");
            this.spec = Objects.requireNonNull(spec, "spec");
            if (name.isBlank()) {
                throw new IllegalArgumentException("name must not be blank");
            }
        }

        /** The source of time. Default: {@link Ticker#system}. */
        public Builder ticker(Ticker ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            return this;
        }

        /**
         * The outcome of work that threw an exception, for {@code call}, {@code run} and {@code releaseAfter}. Default: {@link
         * Outcome#of}.
         */
        public Builder classifier(Function<? super Throwable, Outcome> classifier) {
            this.classifier = Objects.requireNonNull(classifier, "classifier");
            return this;
        }

        /**
         * Tracks one permit in {@code oneIn} while it is held, with the stack of the thread that acquired it, to find
         * permits that are not released. A stack trace is taken for each tracked permit. Default: none is tracked.
         *
         * @throws IllegalArgumentException if {@code oneIn < 1}
         */
        public Builder trackPermits(int oneIn) {
            Require.that(oneIn >= 1, "oneIn must be >= 1", oneIn);
            this.trackOneIn = oneIn;
            return this;
        }

        /**
         * Makes the limiter.
         *
         * @throws IllegalArgumentException if the specification cannot create its strategy
         */
        public ManagedLimiter build() {
            return new Engine(name, spec, ticker, classifier, trackOneIn);
        }
    }
}
