package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.factory.Field;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A reader of the section {@code executor} of a limit. */
final class PoolReader {
    private static final long MOST = Integer.MAX_VALUE;

    private static final Field<Long> THREADS =
            Field.count("threads").describedAs("How many threads there are.").atMost(MOST);
    private static final Field<Long> CORE = Field.count("core")
            .describedAs("How many threads are kept while there is nothing to do. Default: max.")
            .atLeast(0L)
            .atMost(MOST);
    private static final Field<Long> MAX = Field.count("max")
            .describedAs("How many threads there are at most.")
            .atMost(MOST);
    private static final Field<Long> QUEUE_CAPACITY = Field.count("queue-capacity")
            .describedAs("How many tasks may wait for a thread.")
            .atLeast(0L)
            .atMost(MOST)
            .orElse(0L);
    private static final Field<Duration> KEEP_ALIVE = Field.duration("keep-alive")
            .describedAs("How long a thread beyond core waits for work.")
            .orElse(Duration.ofMinutes(1));
    static final Section SECTION = new Section(
            "executor",
            "The threads of the limiter's executor: threads alone, or core and max.",
            List.of(THREADS, CORE, MAX, QUEUE_CAPACITY, KEEP_ALIVE),
            List.of(),
            THREADS);

    private PoolReader() {}

    static LimitPlan.@Nullable Pool read(Node node, Scope scope) {
        ReadValues values = ValueReader.section(SECTION, node, scope);
        if (values == null) {
            return null;
        }
        Optional<Long> threads = values.find(THREADS);
        Optional<Long> core = values.find(CORE);
        Optional<Long> max = values.find(MAX);
        if (threads.isPresent() == max.isPresent() || (threads.isPresent() && core.isPresent())) {
            scope.problem(node.at(), "must have threads, or core and max", "");
            return null;
        }
        long most = threads.or(() -> max).orElse(1L);
        long least = core.orElse(most);
        if (least > most) {
            scope.at(CORE.name()).problem(node.at(), "must be <= max, which is " + most, Long.toString(least));
            return null;
        }
        return new LimitPlan.Pool(
                (int) least, (int) most, Math.toIntExact(values.get(QUEUE_CAPACITY)), values.get(KEEP_ALIVE));
    }
}
