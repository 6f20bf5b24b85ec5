package dev.weir.benchmarks.sim;

import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * A limit, with or without a queue, that takes part in a comparison.
 *
 * @param name in the tables
 * @param made a new one for a run, from the scenario and the seed
 */
record Contender(String name, BiFunction<Scenario, Long, Doorman> made) {
    /** The default controller as it comes, behind the plain queue and behind the recommended one. */
    static final List<Contender> OURS =
            Ours.of(Ours.USUAL_CONTROLLERS, Ours.USUAL_QUEUES, List.of(Weir.FIRST), Weir.CLOCKS);

    /** These, then the peers. */
    static List<Contender> withPeers(List<Contender> ours) {
        return Stream.concat(ours.stream(), Peers.ALL.stream().map(Contender::peer))
                .toList();
    }

    private static Contender peer(Peers.Peer peer) {
        return new Contender(
                peer.name(),
                (scenario, seed) -> Doorman.of(
                        peer.made().apply(new Peers.Setting(seed, scenario.timeoutNanos(), scenario.cores()))));
    }
}
