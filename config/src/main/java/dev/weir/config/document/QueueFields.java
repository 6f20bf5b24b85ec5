package dev.weir.config.document;

import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.WarmUp;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.named.plan.LimitPlan;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.AdaptiveLifo;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.spi.StrategySpec;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The section {@code queue} of a limit. */
final class QueueFields {
    private static final long MOST = Integer.MAX_VALUE;

    private static final Field<Long> CAPACITY = Field.count("capacity")
            .describedAs("How many requests may wait.")
            .atLeast(0L)
            .atMost(MOST)
            .needed();
    private static final Field<Duration> MAX_WAIT = Field.duration("max-wait")
            .describedAs("How long a request waits that says nothing else. Default: any time.");
    private static final Field<Long> MAX_PERMITS = Field.count("max-permits")
            .describedAs("How many permits waiting requests may want together. Default: any.");
    private static final Field<DisciplineSpec> DISCIPLINE = Field.named("discipline", DisciplineSpec.class)
            .describedAs("Decides which request is next. Default: fifo.");
    private static final Field<Boolean> PREDICTIVE = Field.flag("predictive")
            .describedAs("Whether a request is refused at once that would time out.")
            .orElse(false);
    private static final Field<Duration> INITIAL = Field.duration("initial")
            .describedAs("The time to the first attempt.")
            .needed();
    private static final Field<Double> MULTIPLIER = Field.number("multiplier")
            .describedAs("The factor from one time to the next. Default: 2 with max, else 1.")
            .atLeast(1.0);
    private static final Field<Duration> MAX =
            Field.duration("max").describedAs("The longest time between attempts. Default: any.");
    private static final Field<IntervalFunction> RETRY = ReadValues.section(
                    "retry",
                    "a map, or only its initial",
                    INITIAL,
                    List.of(INITIAL, MULTIPLIER, MAX),
                    QueueFields::retry)
            .describedAs(
                    "Makes the queue unfair: new requests are tried first, and waiting ones again on this schedule.");

    static final Field<QueueSpec> QUEUE = Field.of(
                    LimitPlan.QUEUE.name(),
                    new ValueType.Section<>(
                            "a map, only its capacity, or false",
                            List.of(CAPACITY, MAX_WAIT, MAX_PERMITS, DISCIPLINE, PREDICTIVE, RETRY),
                            CAPACITY,
                            true,
                            values -> queue((ReadValues) values)))
            .describedAs("The queue before the limiter: requests wait instead of being refused; false = none. "
                    + "Default: none, and with adaptive a short one.");

    /* In code and in the page of documents. What was measured had half of the caller's time-out in place of the wait. */
    private static final QueueSpec BY_ADAPTIVE =
            QueueSpec.of(10_000).waiting(Duration.ofMillis(500)).by(new AdaptiveLifo(Duration.ofMillis(5)));

    private static final double DOUBLED = 2;

    private QueueFields() {}

    /**
     * The queue that an adaptive limit has if the document says nothing of one; null = none. Requests wait in one order, so it
     * is not for a limit by key or by priority, which may refuse the first and grant the next. Tasks that are given to {@code
     * execute} wait without a time-out, so an executor has no queue that nobody asked for.
     */
    static @Nullable QueueSpec byAdaptive(MapNode limit, StrategySpec spec, ReadValues values) {
        boolean isSaid = limit.get(QUEUE.name()) != null || limit.get(LimitPlan.EXECUTOR.name()) != null;
        return isSaid || values.find(DocumentFields.ADAPTIVE).isEmpty() || !isOfAlike(spec) ? null : BY_ADAPTIVE;
    }

    private static boolean isOfAlike(StrategySpec spec) {
        StrategySpec hot = spec instanceof WarmUp cold ? cold.target() : spec;
        return hot instanceof Semaphore || hot instanceof Counter;
    }

    private static QueueSpec queue(ReadValues values) {
        QueueSpec spec = QueueSpec.of(Math.toIntExact(values.get(CAPACITY)));
        spec = values.find(MAX_WAIT).map(spec::waiting).orElse(spec);
        spec = values.find(MAX_PERMITS).map(spec::holding).orElse(spec);
        spec = values.find(DISCIPLINE).map(spec::by).orElse(spec);
        spec = values.get(PREDICTIVE) ? spec.refusingDoomed() : spec;
        return values.find(RETRY).map(spec::unfair).orElse(spec);
    }

    private static IntervalFunction retry(ReadValues values) {
        Duration initial = values.get(INITIAL);
        Optional<Double> multiplier = values.find(MULTIPLIER);
        Optional<Duration> max = values.find(MAX);
        if (multiplier.isEmpty() && max.isEmpty()) {
            return IntervalFunction.of(initial);
        }
        double factor = multiplier.orElse(DOUBLED);
        return max.isPresent()
                ? IntervalFunction.ofExponentialBackoff(initial, factor, max.get())
                : IntervalFunction.ofExponentialBackoff(initial, factor);
    }
}
