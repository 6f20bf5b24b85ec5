package dev.weir.named.plan;

import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Closed;
import dev.weir.algorithms.WarmUp;
import dev.weir.keyed.Keyed;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.Account;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The limits, declared in code, that no document, override or default may exceed. One that would is refused for this limiter. A
 * limit whose concurrency, rate or burst is capped must be enforced in full and may not be counted by key, since both would admit
 * more. Immutable.
 *
 * @param concurrency how many permits may be in flight at most, also if the limit is adapted; {@link Long#MAX_VALUE} = any
 *     number
 * @param rate the highest rate; null = any
 * @param burst how many permits a rate may grant at once at most; {@link Long#MAX_VALUE} = any number
 * @param queueCapacity how many requests may wait in the queue, and how many tasks for a thread of the executor, at most; {@link
 *     Long#MAX_VALUE} = any number
 * @param threads how many threads the executor may have at most; {@link Long#MAX_VALUE} = any number
 */
public record Caps(long concurrency, @Nullable PermitRate rate, long burst, long queueCapacity, long threads) {
    /** No caps. */
    public static final Caps NONE = new Caps(Long.MAX_VALUE, null, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if a number is less than 1, or the capacity of the queue less than 0
     */
    public Caps {
        atLeast(1, "concurrency", concurrency);
        atLeast(1, "burst", burst);
        atLeast(0, "queueCapacity", queueCapacity);
        atLeast(1, "threads", threads);
    }

    private static void atLeast(long min, String name, long value) {
        if (value < min) {
            throw new IllegalArgumentException(name + " must be >= " + min + ", was " + value);
        }
    }

    /** At most this many permits in flight. */
    public static Caps concurrency(long permits) {
        return new Caps(permits, null, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** At most this rate, and as many permits at once. */
    public static Caps rate(long permits, Duration period) {
        return new Caps(Long.MAX_VALUE, new PermitRate(permits, period), permits, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** The same with another number of permits that may be granted at once. */
    public Caps withBurst(long permits) {
        return new Caps(concurrency, rate, permits, queueCapacity, threads);
    }

    /** The same with at most so many waiting requests, and tasks that wait for a thread; 0 = none. */
    public Caps withQueueCapacity(long capacity) {
        return new Caps(concurrency, rate, burst, capacity, threads);
    }

    /** The same with at most so many threads of the executor. */
    public Caps withThreads(long most) {
        return new Caps(concurrency, rate, burst, queueCapacity, most);
    }

    /** The fields of a plan that are over these caps, with the rules; empty = none. */
    public List<Excess> against(LimitPlan plan, Ticker ticker) {
        List<Excess> found = new ArrayList<>();
        QueueSpec queue = plan.find(LimitPlan.QUEUE);
        if (queue != null && !plan.isQueuedByAdaptive()) {
            exceeds(found, "queue.capacity", queue.capacity(), queueCapacity);
        }
        LimitPlan.Pool pool = plan.find(LimitPlan.EXECUTOR);
        if (pool != null) {
            exceeds(found, "executor.queue-capacity", pool.queueCapacity(), queueCapacity);
            String most = plan.settings().containsKey("executor.max") ? "executor.max" : "executor.threads";
            exceeds(found, most, pool.max(), threads);
        }
        if (concurrency == Long.MAX_VALUE && rate == null && burst == Long.MAX_VALUE) {
            return found;
        }
        if (plan.get(LimitPlan.ENFORCE) < 1) {
            found.add(new Excess(
                    "enforce", "must be 1: its caps are declared in code", "" + plan.get(LimitPlan.ENFORCE)));
        }
        LimitPlan.Adaptive adaptive = plan.find(LimitPlan.ADAPTIVE);
        Ceiling ceiling = Ceiling.of(
                plan.largest(), ticker, adaptive == null ? 0 : adaptive.bounds().max());
        exceeds(found, "concurrency", ceiling.concurrency, concurrency);
        PermitRate highest = rate;
        if (highest != null
                && ceiling.rate.map(given -> given.compareTo(highest) > 0).orElse(true)) {
            String shown = ceiling.rate.map(PermitRate::toString).orElse("not limited");
            found.add(new Excess("rate", "must be <= " + highest + ", declared in code", shown));
        }
        exceeds(found, "burst", ceiling.burst, burst);
        return found;
    }

    /** The plan, where a queue that the document does not speak of is within these caps; with a cap of 0, it has none. */
    public LimitPlan within(LimitPlan plan) {
        QueueSpec queue = plan.find(LimitPlan.QUEUE);
        if (queue == null || !plan.isQueuedByAdaptive() || queue.capacity() <= queueCapacity) {
            return plan;
        }
        QueueSpec smaller = queueCapacity == 0
                ? null
                : new QueueSpec(
                        (int) queueCapacity,
                        queue.maxPermits(),
                        queue.discipline(),
                        queue.retrySchedule(),
                        queue.maxWait(),
                        queue.predictive());
        return plan.with(LimitPlan.QUEUE, smaller);
    }

    private static void exceeds(List<Excess> found, String field, long value, long cap) {
        if (value > cap) {
            String shown = value == Long.MAX_VALUE ? "not limited" : "" + value;
            found.add(new Excess(field, "must be <= " + cap + ", declared in code", shown));
        }
    }

    /** One line: {@code "at most 100 at once, queues of at most 50"}; {@code "none"} for no caps. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        add(parts, "at most ", concurrency, " at once");
        if (rate != null) {
            parts.add("at most " + rate);
        }
        add(parts, "bursts of at most ", burst, "");
        add(parts, "queues of at most ", queueCapacity, "");
        add(parts, "at most ", threads, " threads");
        return parts.isEmpty() ? "none" : String.join(", ", parts);
    }

    private static void add(List<String> parts, String before, long cap, String after) {
        if (cap < Long.MAX_VALUE) {
            parts.add(before + cap + after);
        }
    }

    /** A field of a document that exceeds a cap. */
    public record Excess(String field, String rule, String value) {}

    /** The most that a specification ever grants. */
    private record Ceiling(long concurrency, Optional<PermitRate> rate, long burst) {
        private static final Ceiling NONE = new Ceiling(Long.MAX_VALUE, Optional.empty(), Long.MAX_VALUE);

        /** With the limit that an adaptive control may set at most; 0 = there is none. Of several limits it sets the first. */
        static Ceiling of(StrategySpec spec, Ticker ticker, long adapted) {
            if (spec instanceof WarmUp cold) {
                return of(cold.target(), ticker, adapted);
            }
            if (spec instanceof AllOf all) {
                List<StrategySpec> limits = all.limits();
                return limits.stream()
                        .skip(1)
                        .map(each -> of(each, ticker, 0))
                        .reduce(of(limits.get(0), ticker, adapted), Ceiling::and);
            }
            if (spec instanceof Closed) {
                return new Ceiling(0, Optional.of(new PermitRate(1, Duration.ofDays(36_500))), 0);
            }
            if (spec instanceof Keyed) {
                return NONE;
            }
            PartStrategy strategy = Parts.create(spec, ticker);
            if (adapted > strategy.target()) {
                strategy.setLimit(adapted);
            }
            return of(strategy);
        }

        private static Ceiling of(PartStrategy strategy) {
            if (strategy.traits().holds()) {
                return new Ceiling(strategy.target(), Optional.empty(), Long.MAX_VALUE);
            }
            Account refill = strategy.account();
            return refill == null
                    ? NONE
                    : new Ceiling(
                            Long.MAX_VALUE,
                            Optional.of(new PermitRate(refill.permits(), Duration.ofNanos(refill.period()))),
                            refill.burst());
        }

        private Ceiling and(Ceiling other) {
            Optional<PermitRate> lower = rate.isPresent() && other.rate.isPresent()
                    ? rate.filter(mine -> mine.compareTo(other.rate.get()) <= 0).or(other::rate)
                    : rate.or(other::rate);
            return new Ceiling(Math.min(concurrency, other.concurrency), lower, Math.min(burst, other.burst));
        }
    }
}
