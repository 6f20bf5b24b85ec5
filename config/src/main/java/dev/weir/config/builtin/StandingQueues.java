package dev.weir.config.builtin;

import com.google.auto.service.AutoService;
import dev.weir.config.factory.DisciplineFactory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.Values;
import dev.weir.queue.discipline.AdaptiveLifo;
import dev.weir.queue.discipline.CoDel;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Fifo;
import java.time.Duration;
import java.util.List;

/** The disciplines that tell a standing queue from a burst. */
public final class StandingQueues {
    private static final Field<Duration> STANDING = Fields.time("standing")
            .describedAs("How long the queue may go without being empty before the newest request is next.")
            .orElse(Duration.ofMillis(100));
    private static final Field<Duration> TARGET = Fields.time("target")
            .describedAs("The longest wait in a queue that does not become empty.")
            .orElse(Duration.ofMillis(5));
    private static final Field<Duration> INTERVAL = Fields.time("interval")
            .describedAs(
                    "The longest wait otherwise, and how long a queue may go without being empty; at least the target.")
            .orElse(Duration.ofMillis(100));
    private static final Field<DisciplineSpec> WITHIN = Field.named("within", DisciplineSpec.class)
            .describedAs("Decides which of the requests that stay is next. Default: fifo.");

    private StandingQueues() {}

    /** The factory of {@link AdaptiveLifo}. */
    @AutoService(DisciplineFactory.class)
    public static final class AdaptiveLifoFactory implements DisciplineFactory {
        @Override
        public String name() {
            return "adaptive-lifo";
        }

        @Override
        public String description() {
            return "First come, first served; under overload last come, first served.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(STANDING);
        }

        @Override
        public DisciplineSpec create(Values values) {
            return new AdaptiveLifo(values.get(STANDING));
        }
    }

    /** The factory of {@link CoDel}. */
    @AutoService(DisciplineFactory.class)
    public static final class CoDelFactory implements DisciplineFactory {
        @Override
        public String name() {
            return "codel";
        }

        @Override
        public String description() {
            return "Refuses what has waited too long, early under overload; the discipline within decides who is next.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(TARGET, INTERVAL, WITHIN);
        }

        @Override
        public DisciplineSpec create(Values values) {
            return new CoDel(
                    values.get(TARGET),
                    values.get(INTERVAL),
                    values.find(WITHIN).orElseGet(Fifo::new));
        }
    }

    /** The factory of {@link CoDel} around {@link AdaptiveLifo}. */
    @AutoService(DisciplineFactory.class)
    public static final class CoDelLifoFactory implements DisciplineFactory {
        @Override
        public String name() {
            return "codel-lifo";
        }

        @Override
        public String description() {
            return "codel with adaptive-lifo within: the best choice where callers may give up without notice.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(TARGET, INTERVAL, STANDING);
        }

        @Override
        public DisciplineSpec create(Values values) {
            return new CoDel(values.get(TARGET), values.get(INTERVAL), new AdaptiveLifo(values.get(STANDING)));
        }
    }
}
