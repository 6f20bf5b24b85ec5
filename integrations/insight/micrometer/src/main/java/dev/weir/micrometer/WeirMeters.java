package dev.weir.micrometer;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.LimiterView;
import dev.weir.engine.LimiterView.Counting;
import dev.weir.engine.Snapshot;
import dev.weir.internal.Require;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one limiter, tagged by its {@code name} and never by key:
 *
 * <ul>
 *   <li>{@code weir.acquire}: counter of decisions, by {@code outcome} (permitted, rejected) and {@code reason} (none, or
 *       that of the rejection), those of queues before the limiter among them; {@code weir.passed}: those among the permitted
 *       that were over the limit and let through, from when the limit is not fully enforced
 *   <li>{@code weir.execution}: count of all permits that were released, and the time for which they were held, by {@code
 *       outcome}; the time is measured of a sample and stands for all, so there is no maximum; work that never started is not in
 *       it
 *   <li>{@code weir.execution.sampled}: timer of those permits that were timed, only if {@link #executions} asks for it
 *   <li>{@code weir.inflight}, {@code weir.limit}: gauges in the strategy's unit; {@code weir.enforced}: gauge, 0 to 1
 *   <li>{@code weir.limit.changes}: counter by {@code why}: the reason that the caller of {@code setLimit} gave, up to the
 *       first colon
 *   <li>{@code weir.remaining}: gauge of the permits that a rate would grant now, unless it counts by key; {@code weir.keys}:
 *       gauge of the keys in the table of a limit by key; {@code weir.held.oldest}: gauge of time, while permits are tracked;
 *       {@code weir.suspended}: gauge of the time that is left, once the limiter was {@linkplain dev.weir.Limiter#suspendFor
 *       suspended}
 *   <li>{@code weir.wait}: timer, for waiters in the queue before the limiter, see {@link QueueMeters}
 * </ul>
 *
 * <p>A reason has a series while the limit in force {@linkplain LimiterView#reasons() may refuse} for it, or the queue before
 * the limiter ({@link QueueMeters#before}), and to the end once a request was refused for it. So a change of the specification
 * adds series, and removes those that have counted nothing and cannot any more.
 *
 * <p>Counters are read from {@link LimiterView#count()}: the limiter counts until the meters are closed. Thread-safe. Meters live until
 * {@link #close}; the limiter need not end with them. A registry that throws cannot keep a permit from returning.
 */
public final class WeirMeters implements MeterBinder, AutoCloseable {
    private static final int LONGEST_TAG = 64;
    private static final int MAX_WHYS = 16;

    private final LimiterView limiter;
    private final String name;
    private final int timeOneIn;
    private final @Nullable UnaryOperator<Timer.Builder> executions;
    private final Bindings<Bound> bound;
    private volatile Set<Reason> ofQueue = Set.of();

    private WeirMeters(LimiterView limiter, int timeOneIn, @Nullable UnaryOperator<Timer.Builder> executions) {
        this.limiter = limiter;
        this.name = tag(limiter.name());
        this.timeOneIn = timeOneIn;
        this.executions = executions;
        this.bound = new Bindings<>("limiter " + name + " is", "weir.limit", Tags.of("name", name));
    }

    /** The meters of this limiter, measuring the time of one permit in 16. */
    public static WeirMeters of(LimiterView limiter) {
        return of(limiter, 16);
    }

    /**
     * The meters of this limiter.
     *
     * @param timeOneIn how many permits share one that is timed, which costs two readings of the clock; an observer that times
     *     more, such as an adaptive control, makes the sample larger
     * @throws IllegalArgumentException if {@code timeOneIn < 1}
     */
    public static WeirMeters of(LimiterView limiter, int timeOneIn) {
        Objects.requireNonNull(limiter, "limiter");
        Require.that(timeOneIn >= 1, "timeOneIn must be >= 1", timeOneIn);
        return new WeirMeters(limiter, timeOneIn, null);
    }

    /**
     * The same meters, and {@code weir.execution.sampled}: a timer of the permits that were timed, with these options. {@code
     * executions(Timer.Builder::publishPercentileHistogram)} publishes the buckets of a histogram, up to 69 series, {@code
     * executions(timer -> timer.publishPercentiles(.5, .99))} percentiles. Its count is that of the sample: it is for the shares of
     * buckets, as {@code histogram_quantile} of Prometheus wants them, and {@code weir.execution} counts all permits. To be called
     * before {@link #bindTo}.
     *
     * @param options is called once for each registry; it must return a builder
     */
    public WeirMeters executions(UnaryOperator<Timer.Builder> options) {
        return new WeirMeters(limiter, timeOneIn, Objects.requireNonNull(options, "options"));
    }

    /** The timer of the waits before a limiter of this name, without percentiles and without the buckets of a histogram. */
    static Timer.Builder waits(String limiter) {
        return Timer.builder("weir.wait")
                .description("How long requests waited in the queue")
                .tag("name", tag(limiter));
    }

    /** Shows what is possible now, after a change that no observer is told of. */
    void refresh() {
        bound.all().forEach(Bound::showPossible);
    }

    /** The queue before the limiter may refuse for these reasons from now on. */
    void queueRefuses(Set<Reason> reasons) {
        ofQueue = reasons;
        bound.all().forEach(Bound::showDecisions);
    }

    /**
     * Registers the meters, all or none.
     *
     * @throws IllegalStateException if a limiter of this name has its meters there already
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.bind(registry, new Bound(registry), Bound::register);
    }

    /** Removes the meters from every registry they were bound to. Idempotent. */
    @Override
    public void close() {
        bound.close();
    }

    static String tag(String text) {
        String shown = text.substring(0, Math.min(text.length(), LONGEST_TAG));
        String harmless =
                shown.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "_").strip();
        return harmless.isEmpty() ? "_" : harmless;
    }

    private final class Bound implements LimiterObserver, Registration {
        private final MeterRegistry registry;
        private final MeterTable<LimiterView, Snapshot> meters;
        private final Map<String, Counter> changes = new ConcurrentHashMap<>();
        private final Map<Outcome, ExecutionTime> executionTimes = new EnumMap<>(Outcome.class);
        private final DecisionMeters decisions;
        private final OptionalGauges optional;
        private volatile @Nullable Timer sampled;

        Bound(MeterRegistry registry) {
            this.registry = registry;
            Tags tags = Tags.of("name", name);
            this.meters = new MeterTable<>(registry, tags, limiter, LimiterView::snapshot);
            this.optional = new OptionalGauges(registry, tags, limiter);
            Counting counting = limiter.count();
            meters.keep(counting);
            this.decisions = new DecisionMeters(registry, tags, counting.counts());
        }

        void register() {
            showDecisions();
            meters.gauge("weir.inflight", "permits", "Permits granted and not released", Snapshot::inFlight);
            meters.gauge("weir.limit", "permits", "The limit in force", Snapshot::limit);
            meters.gauge("weir.enforced", "ratio", "The share of rejections that is enforced", Snapshot::enforced);
            for (Outcome outcome : List.of(Outcome.SUCCESS, Outcome.DROPPED, Outcome.IGNORED)) {
                executionTimes.put(outcome, execution(outcome));
            }
            if (executions != null) {
                Timer.Builder options = Timer.builder("weir.execution.sampled")
                        .description("How long permits were held, of those that were timed")
                        .tag("name", name);
                sampled = meters.add(executions.apply(options).register(registry));
            }
            meters.keep(limiter.observe(this));
            showPossible(); // also of a change since then
        }

        void showPossible() {
            showDecisions();
            optional.show();
        }

        void showDecisions() {
            Set<Reason> possible = EnumSet.noneOf(Reason.class);
            possible.addAll(limiter.reasons());
            possible.addAll(ofQueue);
            decisions.show(possible, mayPass());
        }

        /* A strategy that throws does not say so; what has passed is shown all the same. */
        private boolean mayPass() {
            try {
                return limiter.snapshot().enforced() < 1;
            } catch (RuntimeException ofStrategy) {
                return false;
            }
        }

        private ExecutionTime execution(Outcome outcome) {
            ExecutionTime times = new ExecutionTime();
            meters.add(FunctionTimer.builder(
                            "weir.execution",
                            times,
                            ExecutionTime::count,
                            ExecutionTime::totalNanos,
                            TimeUnit.NANOSECONDS)
                    .description("How long permits were held; all are counted, the time is that of a sample, for all")
                    .tags(Tags.of("name", name, "outcome", outcome.name().toLowerCase(Locale.ROOT)))
                    .register(registry));
            return times;
        }

        @Override
        public boolean timesNext() {
            boolean isNext = timeOneIn == 1 || ThreadLocalRandom.current().nextInt(timeOneIn) == 0;
            if (isNext) {
                optional.noticeTracking(); // which nobody is told of
            }
            return isNext;
        }

        @Override
        public void onRejected(Request request, Rejection rejection) {
            if (!decisions.isShown(rejection.reason())) {
                showDecisions();
            }
        }

        @Override
        public void onPassed(Request request) {
            if (!decisions.isPassedShown()) {
                showDecisions();
            }
        }

        @Override
        public void onReleased(Request request, Outcome outcome, long heldNanos) {
            ExecutionTime times = executionTimes.get(outcome);
            if (times == null) {
                return;
            }
            times.released(heldNanos);
            Timer timer = sampled;
            if (timer != null && heldNanos >= 0) {
                timer.record(heldNanos, TimeUnit.NANOSECONDS);
            }
        }

        @Override
        public void onSuspended(long nanos, String why) {
            optional.noticeSuspension();
        }

        @Override
        public void onLimitChanged(long from, long to, String why) {
            if (why.equals("reconfigured")) {
                showPossible();
            }
            String hand = tag(why.split(":", 2)[0]);
            boolean known = changes.containsKey(hand) || changes.size() < MAX_WHYS;
            String counted = known ? hand : "other";
            Counter counter = changes.get(counted);
            if (counter == null) {
                counter = changesBy(counted);
                changes.put(counted, counter);
            }
            counter.increment();
        }

        private Counter changesBy(String why) {
            return meters.add(Counter.builder("weir.limit.changes")
                    .description("Changes of the limit, by who changed it")
                    .baseUnit("changes")
                    .tags(Tags.of("name", name, "why", why))
                    .register(registry));
        }

        @Override
        public void close() {
            meters.close();
            decisions.close();
            optional.close();
        }
    }

    /** The count of all permits that were released, and the time for which they were held, estimated from a sample. Thread-safe. */
    static final class ExecutionTime {
        /*
         * A permit that is timed stands for all that were released since the last one that was timed, so the time never falls, and
         * grows with the mean of the sample. `covered` releases are in `nanos`; it only rises, so none is in it twice.
         */
        private final LongAdder released = new LongAdder();
        private final DoubleAdder nanos = new DoubleAdder();
        private final AtomicLong covered = new AtomicLong();

        /** A permit was released that had been held for so long; -1 = not timed. */
        void released(long heldNanos) {
            released.increment();
            if (heldNanos >= 0) {
                long count = released.sum();
                long before = covered.getAndAccumulate(count, Math::max);
                nanos.add((double) heldNanos * Math.max(0, count - before));
            }
        }

        long count() {
            return released.sum();
        }

        double totalNanos() {
            return nanos.sum();
        }
    }
}
