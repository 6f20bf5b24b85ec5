package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Ticker;
import dev.weir.spi.StrategySpec;
import java.util.Objects;
import java.util.function.Function;

/** Makes limiters. */
public final class Limiters {
    private Limiters() {}

    /** A limiter on the system clock, with nothing watching it. */
    public static ManagedLimiter of(String name, StrategySpec spec) {
        return builder(name, spec).build();
    }

    /** For a limiter that differs from {@link #of}. */
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

        /** Where the time comes from; the system clock unless set. */
        public Builder ticker(Ticker ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            return this;
        }

        /** How {@code call} and {@code run} judge work that threw, instead of the rule {@link dev.weir.Limiter} gives. */
        public Builder classifier(Function<? super Throwable, Outcome> classifier) {
            this.classifier = Objects.requireNonNull(classifier, "classifier");
            return this;
        }

        /**
         * Remembers one permit in so many while it is out, with the stack that acquired it, to find leaks. Costs a
         * stack walk each.
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

        /** The limiter. */
        public ManagedLimiter build() {
            return new Engine(name, spec, ticker, classifier, trackOneIn);
        }
    }
}
