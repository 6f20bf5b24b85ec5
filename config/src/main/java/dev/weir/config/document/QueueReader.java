package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.DisciplineSpec;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A reader of the section {@code queue} of a limit. */
final class QueueReader {
    static final Field<Long> CAPACITY = Field.count("capacity")
            .describedAs("How many requests may wait.")
            .atLeast(0L)
            .atMost((long) Integer.MAX_VALUE)
            .needed();
    static final Field<Duration> MAX_WAIT = Field.duration("max-wait")
            .describedAs("How long a request waits that says nothing else. Default: any time.");
    static final Field<Long> MAX_PERMITS = Field.count("max-permits")
            .describedAs("How many permits waiting requests may want together. Default: any.");
    static final Field<DisciplineSpec> DISCIPLINE = Field.named("discipline", DisciplineSpec.class)
            .describedAs("Decides which request is next. Default: fifo.");
    static final Field<Boolean> PREDICTIVE = Field.flag("predictive")
            .describedAs("Whether a request is refused at once that would time out.")
            .orElse(false);
    static final String RETRY = "retry";
    static final List<Field<?>> FIELDS = List.of(CAPACITY, MAX_WAIT, MAX_PERMITS, DISCIPLINE, PREDICTIVE);

    static final Field<Duration> INITIAL = Field.duration("initial")
            .describedAs("The time to the first attempt.")
            .needed();
    static final Field<Double> MULTIPLIER = Field.number("multiplier")
            .describedAs("The factor from one time to the next. Default: 2 with max, else 1.")
            .atLeast(1.0);
    static final Field<Duration> MAX =
            Field.duration("max").describedAs("The longest time between attempts. Default: any.");
    static final List<Field<?>> RETRY_FIELDS = List.of(INITIAL, MULTIPLIER, MAX);

    private static final double DOUBLED = 2;

    private QueueReader() {}

    static @Nullable QueueSpec read(Node node, Scope scope) {
        MapNode map = LimitFields.asMap(node, CAPACITY.name(), scope);
        ReadValues values = map == null ? null : ValueReader.fields(map, FIELDS, Set.of(RETRY), scope);
        if (map == null || values == null) {
            return null;
        }
        QueueSpec fair = Guarded.call(() -> spec(values), node, scope);
        if (fair == null || !map.entries().containsKey(RETRY)) {
            return fair;
        }
        IntervalFunction schedule = retry(map.entries().get(RETRY).value(), scope.at(RETRY));
        return schedule == null ? null : fair.unfair(schedule);
    }

    private static QueueSpec spec(ReadValues values) {
        QueueSpec spec = QueueSpec.of(Math.toIntExact(values.get(CAPACITY)));
        spec = values.find(MAX_WAIT).map(spec::waiting).orElse(spec);
        spec = values.find(MAX_PERMITS).map(spec::holding).orElse(spec);
        spec = values.find(DISCIPLINE).map(spec::by).orElse(spec);
        return values.get(PREDICTIVE) ? spec.refusingDoomed() : spec;
    }

    private static @Nullable IntervalFunction retry(Node node, Scope scope) {
        MapNode map = LimitFields.asMap(node, INITIAL.name(), scope);
        ReadValues values = map == null ? null : ValueReader.fields(map, RETRY_FIELDS, Set.of(), scope);
        return values == null ? null : Guarded.call(() -> schedule(values), node, scope);
    }

    private static IntervalFunction schedule(ReadValues values) {
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
