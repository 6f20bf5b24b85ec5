package dev.weir.config.builtin;

import static dev.weir.config.builtin.Fields.MOST_PERMITS;
import static dev.weir.config.builtin.Fields.RATE;

import com.google.auto.service.AutoService;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.PermitRate;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.config.factory.Values;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The rates whose permits arrive one by one. */
public final class Buckets {
    private Buckets() {}

    /** The factory of {@link TokenBucket}. */
    @AutoService(StrategyFactory.class)
    public static final class TokenBucketFactory implements StrategyFactory {
        private static final Field<Long> BURST = Field.count("burst")
                .describedAs("The most permits at once. Default: those of one period.")
                .atMost(MOST_PERMITS);
        private static final Field<Long> INITIAL = Field.count("initial")
                .describedAs("The permits at the start, at most the burst. Default: the burst.")
                .atLeast(0L)
                .atMost(MOST_PERMITS);
        private static final Field<Refill> REFILL = Field.choice("refill", Refill.class)
                .describedAs(
                        "Whether permits arrive one by one over the period, or all together at the end of each interval.")
                .orElse(Refill.GREEDY);
        private static final Field<Boolean> LEASED = Field.flag("leased")
                .describedAs("For very high rates: processors take permits in batches, and requests from those.")
                .orElse(false);
        private static final Field<Long> BATCH = Field.count("batch")
                .describedAs("The permits of a batch if leased. Default: as many as suit the burst, at most 256.")
                .atMost(MOST_PERMITS);

        @Override
        public String name() {
            return "token-bucket";
        }

        @Override
        public String description() {
            return "So many permits in a period, and unused ones are saved up to the burst.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(RATE, BURST, INITIAL, REFILL, LEASED, BATCH);
        }

        @Override
        public StrategySpec create(Values values) {
            PermitRate rate = values.get(RATE);
            long burst = values.find(BURST).orElse(rate.permits());
            long initial = values.find(INITIAL).orElse(burst);
            Optional<Long> batch = values.find(BATCH);
            TokenBucket bucket = new TokenBucket(rate.permits(), rate.period(), burst, initial, values.get(REFILL));
            if (!values.get(LEASED)) {
                if (batch.isPresent()) {
                    throw new IllegalArgumentException("batch needs leased: true");
                }
                return bucket;
            }
            return batch.isPresent() ? bucket.leased(batch.get()) : bucket.leased();
        }
    }

    /** The factory of {@link LeakyBucket}. */
    @AutoService(StrategyFactory.class)
    public static final class LeakyBucketFactory implements StrategyFactory {
        private static final Field<Long> BURST = Field.count("burst")
                .describedAs("How many permits fit beside the first.")
                .atLeast(0L)
                .atMost(MOST_PERMITS - 1)
                .orElse(0L);

        @Override
        public String name() {
            return "leaky-bucket";
        }

        @Override
        public String description() {
            return "So many permits in a period, one by one, as nginx counts them.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(RATE, BURST);
        }

        @Override
        public StrategySpec create(Values values) {
            PermitRate rate = values.get(RATE);
            return new LeakyBucket(rate.permits(), rate.period(), values.get(BURST));
        }
    }

    /** The factory of {@link Pacer}. */
    @AutoService(StrategyFactory.class)
    public static final class PacerFactory implements StrategyFactory {
        private static final Field<Long> LARGEST = Field.count("largest")
                .describedAs("The most permits of one request.")
                .atMost(MOST_PERMITS)
                .orElse(1L);

        @Override
        public String name() {
            return "pacer";
        }

        @Override
        public String description() {
            return "One permit at a time at even intervals, and nothing saved; behind a queue, requests wait for theirs.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(RATE, LARGEST);
        }

        @Override
        public StrategySpec create(Values values) {
            PermitRate rate = values.get(RATE);
            return new Pacer(rate.permits(), rate.period(), values.get(LARGEST));
        }
    }

    /** The factory of {@link Gcra}. */
    @AutoService(StrategyFactory.class)
    public static final class GcraFactory implements StrategyFactory {
        private static final Field<Duration> TOLERANCE = Field.duration("tolerance")
                .describedAs("How early a permit may come. Default: what grants the permits of one period at once.")
                .atMost(Fields.LONGEST);

        @Override
        public String name() {
            return "gcra";
        }

        @Override
        public String description() {
            return "The generic cell rate algorithm: permits at even intervals, each of which may come a little early.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(RATE, TOLERANCE);
        }

        @Override
        public StrategySpec create(Values values) {
            PermitRate rate = values.get(RATE);
            Optional<Duration> tolerance = values.find(TOLERANCE);
            return tolerance.isPresent()
                    ? new Gcra(rate.permits(), rate.period(), tolerance.get())
                    : Gcra.of(rate.permits(), rate.period());
        }
    }
}
