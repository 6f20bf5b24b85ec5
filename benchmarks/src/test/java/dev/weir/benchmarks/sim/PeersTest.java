package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.benchmarks.sim.Peers.Peer;
import dev.weir.benchmarks.sim.Peers.Setting;
import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class PeersTest {
    private static final List<Peer> PEERS = Peers.ALL;
    private static final long MILLI = 1_000_000;

    /** Twenty seconds of twice what one server does; who is let in when, and how many were let in, as a hash. */
    private static long decisions(Candidate limit) {
        SplittableRandom random = new SplittableRandom(3);
        ArrayDeque<long[]> inside = new ArrayDeque<>();
        long free = 0;
        long hash = 0;
        for (long now = 1; now < 20_000 * MILLI; now += 5 * MILLI) {
            for (long[] first = inside.peek(); first != null && first[1] <= now; first = inside.peek()) {
                inside.remove();
                limit.left(first[1], first[0], (int) first[2], first[1] - first[0] > 200 * MILLI);
            }
            if (now % (500 * MILLI) == 1) {
                limit.cpu(now, 1);
                limit.load(now, inside.size());
            }
            boolean admitted = limit.admits(now, inside.size(), 0);
            hash = 31 * hash + (admitted ? 1 : 0);
            if (admitted) {
                free = Math.max(now, free) + 1 + random.nextLong(20 * MILLI);
                inside.add(new long[] {now, free, inside.size() + 1});
            }
        }
        return hash;
    }

    @Test
    void areTheseInThisOrder() {
        assertEquals(
                "NoLimit Static200 Vegas VegasWin Gradient2 Grad2Win Grad1Win AIMD Envoy EnvoyP90 EnvoyNoPin KratosBBR"
                        + " SentinelBBR GoZero FailsafeGo AltCpu",
                String.join(" ", PEERS.stream().map(Peer::name).toList()));
    }

    @ParameterizedTest(name = "{0}")
    @FieldSource("PEERS")
    void decideTheSameWithTheSameSeed(Peer peer) {
        Setting setting = new Setting(11, 200 * MILLI, 1);
        assertTrue(peer.made().apply(setting).admits(1, 0, 0));
        assertEquals(
                decisions(peer.made().apply(setting)), decisions(peer.made().apply(setting)));
    }
}
