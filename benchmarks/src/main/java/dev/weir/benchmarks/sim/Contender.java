package dev.weir.benchmarks.sim;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Crest;
import dev.weir.queue.AdaptiveLifo;
import dev.weir.queue.QueueSpec;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whoever takes part.
 *
 * @param name in the tables
 * @param made a new one for a run, from the scenario and the seed
 */
record Contender(String name, BiFunction<Scenario, Long, Doorman> made) {
    /** How many may wait: more than ever do before half of their time is over. */
    private static final int CAPACITY = 10_000;

    static final QueueSpec PLAIN = QueueSpec.of(CAPACITY);
    static final QueueSpec RECOMMENDED = PLAIN.by(new AdaptiveLifo(Duration.ofMillis(5)));

    static final List<Contender> OURS = ours(Weir.FIRST, "");

    /** The default controller as it comes, behind the plain queue and behind the recommended one. */
    private static List<Contender> ours(long start, String suffix) {
        LongFunction<Controller> crest = seed -> new Crest();
        return List.of(
                of("weir" + suffix, crest, null, start),
                of("weir+fifo" + suffix, crest, PLAIN, start),
                of("weir+queue" + suffix, crest, RECOMMENDED, start));
    }

    /** The same with each of these first limits, which are in their names when they are several. */
    static List<Contender> ours(List<Long> starts) {
        return starts.stream()
                .flatMap(start -> ours(start, starts.size() == 1 ? "" : "@" + start).stream())
                .toList();
    }

    /** Ours of any controller, made from the seed. */
    static Contender of(String name, LongFunction<Controller> controller, @Nullable QueueSpec queue, long start) {
        return new Contender(name, (scenario, seed) -> new Weir(controller.apply(seed), scenario, queue, start));
    }

    /** Ours first. */
    static List<Contender> all(List<Contender> ours) {
        return Stream.concat(ours.stream(), Peers.ALL.stream().map(Contender::peer))
                .toList();
    }

    private static Contender peer(Peers.Peer peer) {
        return new Contender(
                peer.name(),
                (scenario, seed) ->
                        Doorman.of(peer.made().apply(new Setting(seed, scenario.timeoutNanos(), scenario.cores()))));
    }
}
