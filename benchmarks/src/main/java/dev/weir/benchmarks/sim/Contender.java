package dev.weir.benchmarks.sim;

import dev.weir.adaptive.Crest;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * Whoever takes part.
 *
 * @param name in the tables
 * @param made a new one for a run, from the scenario and the seed
 */
record Contender(String name, BiFunction<Scenario, Long, Doorman> made) {
    static final Contender WEIR = new Contender("weir", (scenario, seed) -> new Weir(new Crest(), scenario, false));
    static final Contender QUEUED =
            new Contender("weir+queue", (scenario, seed) -> new Weir(new Crest(), scenario, true));
    static final List<Contender> OURS = List.of(WEIR, QUEUED);

    /** Ours first. */
    static List<Contender> all() {
        return Stream.concat(OURS.stream(), Peers.ALL.stream().map(Contender::peer))
                .toList();
    }

    private static Contender peer(Peers.Peer peer) {
        return new Contender(
                peer.name(),
                (scenario, seed) ->
                        Doorman.of(peer.made().apply(new Setting(seed, scenario.timeoutNanos(), scenario.cores()))));
    }
}
