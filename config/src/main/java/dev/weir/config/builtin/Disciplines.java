package dev.weir.config.builtin;

import dev.weir.config.factory.Field;
import dev.weir.config.factory.Values;
import dev.weir.internal.Require;
import dev.weir.queue.discipline.AdaptiveLifo;
import dev.weir.queue.discipline.CoDel;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.EarliestDeadline;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Lifo;
import dev.weir.queue.discipline.Priority;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The names of disciplines. */
final class Disciplines {
    private static final Field<Duration> AGEING = Algorithms.time("ageing")
            .describedAs("How long a request waits to count as one level more important, so that none starves.")
            .needed();
    private static final Field<Map<String, Long>> WEIGHTS = Field.map(
                    "weights", Field.count("weight").type())
            .describedAs("How many permits a key may use in its turn, at least 1; 1 for keys that are not in it.")
            .orElse(Map.of());
    private static final Field<Duration> STANDING = Algorithms.time("standing")
            .describedAs("How long the queue may go without being empty before the newest request is next.")
            .orElse(Duration.ofMillis(100));
    private static final Field<Duration> TARGET = Algorithms.time("target")
            .describedAs("The longest wait in a queue that does not become empty.")
            .orElse(Duration.ofMillis(5));
    private static final Field<Duration> INTERVAL = Algorithms.time("interval")
            .describedAs(
                    "The longest wait otherwise, and how long a queue may go without being empty; at least the target.")
            .orElse(Duration.ofMillis(100));
    private static final Field<DisciplineSpec> WITHIN = Field.named("within", DisciplineSpec.class)
            .describedAs("Decides which of the requests that stay is next. Default: fifo.");

    static final List<Entry<DisciplineSpec>> ALL = List.of(
            Entry.of("fifo", "First come, first served.", values -> new Fifo()),
            Entry.of("lifo", "Last come, first served.", values -> new Lifo()),
            new Entry<>(
                    "priority",
                    "The most important request is next: priority 0 before 1 before 2.",
                    List.of(AGEING),
                    values -> new Priority(values.get(AGEING))),
            Entry.of(
                    "earliest-deadline", "The request that times out first is next.", values -> new EarliestDeadline()),
            new Entry<>(
                    "fair-share",
                    "Each key in turn, by weight, so that one greedy tenant cannot hold up the others.",
                    List.of(WEIGHTS),
                    Disciplines::fairShare),
            new Entry<>(
                    "adaptive-lifo",
                    "First come, first served; under overload last come, first served.",
                    List.of(STANDING),
                    values -> new AdaptiveLifo(values.get(STANDING))),
            new Entry<>(
                    "codel",
                    "Refuses what has waited too long, early under overload; the discipline within decides who is next.",
                    List.of(TARGET, INTERVAL, WITHIN),
                    values -> new CoDel(
                            values.get(TARGET),
                            values.get(INTERVAL),
                            values.find(WITHIN).orElseGet(Fifo::new))),
            new Entry<>(
                    "codel-lifo",
                    "codel with adaptive-lifo within: the best choice where callers may give up without notice.",
                    List.of(TARGET, INTERVAL, STANDING),
                    values -> new CoDel(
                            values.get(TARGET), values.get(INTERVAL), new AdaptiveLifo(values.get(STANDING)))));

    private Disciplines() {}

    private static DisciplineSpec fairShare(Values values) {
        Map<Object, Integer> weights = new HashMap<>();
        values.get(WEIGHTS).forEach((key, weight) -> weights.put(key, exact(key, weight)));
        return new FairShare(weights);
    }

    private static int exact(String key, long weight) {
        boolean isWeight = weight >= 1 && weight <= Integer.MAX_VALUE;
        Require.that(isWeight, "weight of " + key + " must be >= 1 and <= 2147483647", weight);
        return (int) weight;
    }
}
