package dev.weir.config.builtin;

import dev.weir.algorithms.CapacityPlan;
import dev.weir.algorithms.Closed;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Open;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.config.factory.Values;
import dev.weir.named.plan.PermitRate;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The names of algorithms. */
final class Algorithms {
    private static final String PERCENTAGE = "(100|[1-9]?[0-9])%?";

    /** A whole percentage: an {@code Integer} from 0 to 100. */
    static final ValueType<Integer> PERCENT = new ValueType.Scalar<>(
            "a whole percentage from 0 to 100 such as 60 or 60%", PERCENTAGE, Algorithms::percent);

    /** The most permits of a rate. */
    static final long MOST_PERMITS = 1L << 60;

    /** The longest time of algorithms and disciplines: 73 years, in whole days. */
    static final Duration LONGEST = Duration.ofDays(26_687);

    private static final Field<Long> CONCURRENCY = Field.count("concurrency")
            .describedAs("How many permits may be in flight at the same time.")
            .atMost((long) Integer.MAX_VALUE)
            .needed();
    private static final Field<Map<String, Integer>> PERCENTS = Field.map("percents", PERCENT)
            .describedAs("The guarantee of each key in per cent of the limit, at most 100 in sum.")
            .needed();
    private static final Field<Integer> LENT = Field.of("lent", PERCENT)
            .describedAs("How much of an unused guarantee others may borrow, in per cent.")
            .needed();
    private static final Field<List<Integer>> RESERVED = Field.list("reserved", PERCENT)
            .describedAs("What requests of priority 1, 2, ... leave free, in per cent of the limit, never decreasing.")
            .needed();

    private static final Field<PermitRate> RATE = Field.rate("rate")
            .describedAs("Permits in a time, such as 100/s or 1/2s.")
            .needed();
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
    private static final Field<Boolean> BATCHED = Field.flag("batched")
            .describedAs("For very high rates: processors take permits in batches, and requests from those.")
            .orElse(false);
    private static final Field<Long> BATCH = Field.count("batch")
            .describedAs("The permits of a batch if batched. Default: as many as suit the burst, at most 256.")
            .atMost(MOST_PERMITS);
    private static final Field<Long> BESIDE = Field.count("burst")
            .describedAs("How many permits fit beside the first.")
            .atLeast(0L)
            .atMost(MOST_PERMITS - 1)
            .orElse(0L);
    private static final Field<Long> LARGEST = Field.count("largest")
            .describedAs("The most permits of one request.")
            .atMost(MOST_PERMITS)
            .orElse(1L);
    private static final Field<Duration> TOLERANCE = Field.duration("tolerance")
            .describedAs("How early a permit may come. Default: what grants the permits of one period at once.")
            .atMost(LONGEST);
    private static final Field<Boolean> ALIGNED = Field.flag("aligned")
            .describedAs(
                    "Whether windows start with the minute, the hour or the day in UTC, instead of with the limit.")
            .orElse(false);
    private static final Field<Long> BLOCKS = Field.count("blocks")
            .describedAs("The precision: a used permit is free again late by one block of the period at most.")
            .atMost(10_000L)
            .orElse(10L);

    private static final Field<Cost> COST = Field.choice("cost", Cost.class)
            .describedAs("What a request takes: its permits, or its cost, which is settled afterwards.")
            .orElse(Cost.PERMITS);
    private static final Field<Over> OVER = Field.choice("over", Over.class)
            .describedAs("Whether a request above the burst is granted once nothing is used, if cost is settled.")
            .orElse(Over.NEVER);

    private static final Field<Long> PER_DAY =
            Field.count("per-day").describedAs("The requests of a day.").needed();
    private static final Field<Duration> BUSY = time("busy")
            .describedAs("The part of the day in which they come, at most 24h.")
            .atMost(CapacityPlan.DAY)
            .orElse(CapacityPlan.DAY);
    private static final Field<Double> PEAK = Field.number("peak")
            .describedAs(
                    "The peak divided by the average; 4 if four fifths of the requests come in a fifth of the time.")
            .atLeast(1.0)
            .atMost(1000.0)
            .orElse(1.0);

    static final List<Entry<StrategySpec>> ALL = List.of(
            Entry.of("closed", "Refuses every request.", values -> new Closed()),
            Entry.of(
                    "open",
                    "Grants every request; permits in flight are counted, for the limit that follows.",
                    values -> new Open()),
            new Entry<>(
                    "semaphore",
                    "At most so many permits in flight.",
                    List.of(CONCURRENCY),
                    values -> new Semaphore(values.get(CONCURRENCY))),
            new Entry<>(
                    "counter",
                    "At most so many requests in flight, each for one permit.",
                    List.of(CONCURRENCY),
                    values -> new Counter(values.get(CONCURRENCY))),
            new Entry<>(
                    "partitioned",
                    "At most so many permits in flight, with a guarantee for each key, which others may borrow while it is unused.",
                    List.of(CONCURRENCY, PERCENTS, LENT),
                    values -> new Partitioned(
                            values.get(CONCURRENCY), Map.copyOf(values.get(PERCENTS)), values.get(LENT))),
            new Entry<>(
                    "priority-shedding",
                    "At most so many permits in flight; less important requests are refused earlier.",
                    List.of(CONCURRENCY, RESERVED),
                    values -> new PriorityShedding(values.get(CONCURRENCY), values.get(RESERVED))),
            rate(
                    "token-bucket",
                    "So many permits in a period, and unused ones are saved up to the burst.",
                    List.of(BURST, INITIAL, REFILL, BATCHED, BATCH),
                    Algorithms::tokenBucket),
            rate(
                    "leaky-bucket",
                    "So many permits in a period, one by one, as nginx counts them.",
                    List.of(BESIDE),
                    (permits, period, values) -> new LeakyBucket(permits, period, values.get(BESIDE))),
            new Entry<>(
                    "pacer",
                    "One permit at a time at even intervals, and nothing saved; behind a queue, requests wait for theirs.",
                    List.of(RATE, LARGEST),
                    values -> new Pacer(
                            values.get(RATE).permits(), values.get(RATE).period(), values.get(LARGEST))),
            rate(
                    "gcra",
                    "The generic cell rate algorithm: permits at even intervals, each of which may come a little early.",
                    List.of(TOLERANCE),
                    (permits, period, values) -> values.find(TOLERANCE)
                            .map(tolerance -> new Gcra(permits, period, tolerance))
                            .orElseGet(() -> Gcra.of(permits, period))),
            rate(
                    "fixed-window",
                    "So many permits in each window; up to twice as many in a time across two windows.",
                    List.of(ALIGNED),
                    (permits, period, values) -> values.get(ALIGNED)
                            ? FixedWindow.aligned(permits, period)
                            : FixedWindow.of(permits, period)),
            rate(
                    "sliding-window",
                    "So many permits in any period, counted in blocks of it.",
                    List.of(BLOCKS),
                    (permits, period, values) ->
                            new SlidingWindow(permits, period, Math.toIntExact(values.get(BLOCKS)))),
            rate(
                    "sliding-log",
                    "So many permits in any period, exactly; at most 2^20, at 16 bytes each.",
                    List.of(),
                    (permits, period, values) -> new SlidingLog(permits, period)),
            rate(
                    "first-hit-quota",
                    "So many permits in a window that starts with its first use.",
                    List.of(),
                    (permits, period, values) -> new FirstHitQuota(permits, period)),
            new Entry<>(
                    "planned-rate",
                    "As many permits a second as the requests of a day need at their peak.",
                    List.of(PER_DAY, BUSY, PEAK),
                    Algorithms::plannedRate));

    private Algorithms() {}

    /** The creation of a limit of permits in a period. */
    private interface OfRate {
        StrategySpec create(long permits, Duration period, Values values);
    }

    private enum Cost {
        PERMITS,
        SETTLED
    }

    private enum Over {
        NEVER,
        ONCE
    }

    private static Entry<StrategySpec> rate(String name, String description, List<Field<?>> others, OfRate creation) {
        List<Field<?>> fields = new ArrayList<>(List.of(RATE));
        fields.addAll(others);
        fields.addAll(List.of(COST, OVER));
        return new Entry<>(name, description, List.copyOf(fields), values -> {
            PermitRate rate = values.get(RATE);
            return byCost(creation.create(rate.permits(), rate.period(), values), values);
        });
    }

    private static StrategySpec byCost(StrategySpec rate, Values values) {
        boolean once = values.get(OVER) == Over.ONCE;
        if (values.get(COST) == Cost.SETTLED) {
            return new Settled(rate, once);
        }
        if (once) {
            throw new IllegalArgumentException("over: once needs cost: settled");
        }
        return rate;
    }

    private static StrategySpec tokenBucket(long permits, Duration period, Values values) {
        long burst = values.find(BURST).orElse(permits);
        long initial = values.find(INITIAL).orElse(burst);
        Optional<Long> batch = values.find(BATCH);
        TokenBucket bucket = new TokenBucket(permits, period, burst, initial, values.get(REFILL));
        if (!values.get(BATCHED)) {
            if (batch.isPresent()) {
                throw new IllegalArgumentException("batch needs batched: true");
            }
            return bucket;
        }
        return batch.isPresent() ? bucket.batched(batch.get()) : bucket.batched();
    }

    private static StrategySpec plannedRate(Values values) {
        CapacityPlan plan = new CapacityPlan(values.get(PER_DAY), values.get(BUSY), values.get(PEAK));
        return TokenBucket.of(plan.peakQps(), Duration.ofSeconds(1));
    }

    /** A duration of 1 ns to 73 years. */
    static Field<Duration> time(String name) {
        return Field.duration(name).atLeast(Duration.ofNanos(1)).atMost(LONGEST);
    }

    private static Integer percent(String text) {
        if (!text.matches(PERCENTAGE)) {
            throw new IllegalArgumentException("must be a whole percentage from 0 to 100 such as 60 or 60%");
        }
        return Integer.valueOf(text.replace("%", ""));
    }
}
