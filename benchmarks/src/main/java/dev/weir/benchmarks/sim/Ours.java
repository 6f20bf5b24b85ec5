package dev.weir.benchmarks.sim;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.controller.Aimd;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.controller.EnvoyGradient;
import dev.weir.adaptive.controller.Gradient2;
import dev.weir.adaptive.controller.Vegas;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.AdaptiveLifo;
import dev.weir.queue.discipline.CoDel;
import dev.weir.queue.discipline.EarliestDeadline;
import dev.weir.queue.discipline.Lifo;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Weir's own parts under their names on the command line and in the tables. */
final class Ours {
    /** More than ever wait until half of their time is over. */
    private static final int CAPACITY = 10_000;

    private static final QueueSpec PLAIN = QueueSpec.of(CAPACITY);

    /**
     * A controller.
     *
     * @param made from the seed
     */
    private record Choice(String name, String row, LongFunction<Controller> made) {}

    private record Queue(
            String name, String suffix, @Nullable QueueSpec spec) {}

    private static final List<Choice> CONTROLLERS = List.of(
            new Choice("default", "weir", seed -> new Crest()),
            new Choice("alone", "weir-alone", seed -> Crest.alone()),
            new Choice("aimd", "weir-aimd", seed -> new Aimd()),
            new Choice("vegas", "weir-vegas", Vegas::new),
            new Choice("gradient2", "weir-gradient2", seed -> new Gradient2()),
            new Choice("envoy", "weir-envoy", seed -> new EnvoyGradient(Duration.ofMinutes(1), seed)));

    private static final List<Queue> QUEUES = List.of(
            new Queue("none", "", null),
            new Queue("fifo", "+fifo", PLAIN),
            new Queue("adaptive-lifo", "+queue", PLAIN.by(new AdaptiveLifo(Duration.ofMillis(5)))),
            new Queue("lifo", "+lifo", PLAIN.by(new Lifo())),
            new Queue("deadline", "+deadline", PLAIN.by(new EarliestDeadline())),
            new Queue("codel", "+codel", PLAIN.by(new CoDel(Duration.ofMillis(5), Duration.ofMillis(100)))));

    static final List<String> USUAL_CONTROLLERS = List.of("default");
    static final List<String> USUAL_QUEUES = List.of("none", "fifo", "adaptive-lifo");

    private Ours() {}

    static List<String> controllers() {
        return CONTROLLERS.stream().map(Choice::name).toList();
    }

    static List<String> queues() {
        return QUEUES.stream().map(Queue::name).toList();
    }

    /**
     * Each of these controllers behind each of these queues with each of these first limits, which are named if several.
     *
     * @param clocks how far the clock of each instance is wrong at most, in milliseconds
     */
    static List<Contender> of(List<String> controllers, List<String> queues, List<Long> starts, long clocks) {
        return starts.stream()
                .flatMap(start -> of(controllers, queues, start, starts.size() == 1 ? "" : "@" + start, clocks))
                .toList();
    }

    private static Stream<Contender> of(
            List<String> controllers, List<String> queues, long start, String suffix, long clocks) {
        return CONTROLLERS.stream()
                .filter(choice -> controllers.contains(choice.name))
                .flatMap(choice -> QUEUES.stream()
                        .filter(queue -> queues.contains(queue.name))
                        .map(queue -> of(choice, queue, start, suffix, clocks)));
    }

    private static Contender of(Choice choice, Queue queue, long start, String suffix, long clocks) {
        return new Contender(
                choice.row + queue.suffix + suffix,
                (scenario, seed) ->
                        new Weir(choice.made.apply(seed), scenario, queue.spec, start, wrong(seed, clocks)));
    }

    /* By how much the clock of an instance is wrong. */
    private static long wrong(long seed, long most) {
        return Math.round((2 * new SplittableRandom(seed).nextDouble() - 1) * most);
    }
}
