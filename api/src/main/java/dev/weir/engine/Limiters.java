package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Ticker;
import dev.weir.spi.StrategySpec;
import java.util.Objects;
import java.util.function.Function;

/** Makes limiters. */
public final class Limiters {
    private Limiters() {}

    /**
     * A limiter with the system's clock and no observers.
     *
     * @param name the name in rejections and metrics, not blank
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

        /** The outcome of work that threw an exception, for {@code call}, {@code run} and {@code releaseAfter}. Default: {@link Outcome#of}. */
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
            if (oneIn < 1) {
                throw new IllegalArgumentException("oneIn must be >= 1, was " + oneIn);
            }
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
