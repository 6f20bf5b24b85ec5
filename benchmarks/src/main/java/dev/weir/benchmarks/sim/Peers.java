package dev.weir.benchmarks.sim;

import com.netflix.concurrency.limits.limit.Gradient2Limit;
import java.util.List;
import java.util.function.Function;

/**
 * The limits that ours is compared with. Netflix's are the real ones; the others are made again from their published
 * formulas, because they are not written in Java or cannot be told the time.
 */
final class Peers {
    /** One of them: its name in the tables, and a new one of it for each run. */
    record Peer(String name, Function<Setting, Candidate> made) {}

    static final List<Peer> ALL = List.of(
            new Peer("NoLimit", setting -> new Fixed(Double.POSITIVE_INFINITY)),
            new Peer("Static200", setting -> new Fixed(200)),
            new Peer("Vegas", setting -> new Netflix(new SeededVegas(setting.seed()))),
            new Peer("VegasWin", setting -> Netflix.windowed(new SeededVegas(setting.seed()))),
            new Peer("Gradient2", setting -> new Netflix(Gradient2Limit.newDefault())),
            new Peer(
                    "Grad2Win",
                    setting -> Netflix.windowed(Gradient2Limit.newBuilder()
                            .minLimit(1)
                            .maxConcurrency(1000)
                            .build())),
            new Peer("Grad1Win", setting -> Netflix.windowed(new SeededGradient(setting.seed()))),
            new Peer("AIMD", setting -> Netflix.aimd(setting.timeoutNanos())),
            new Peer("Envoy", setting -> new EnvoyGradient(0.5, true, setting.seed())),
            new Peer("EnvoyP90", setting -> new EnvoyGradient(0.9, true, setting.seed())),
            new Peer("EnvoyNoPin", setting -> new EnvoyGradient(0.5, false, setting.seed())),
            new Peer("KratosBBR", setting -> new KratosBbr()),
            new Peer("SentinelBBR", setting -> new SentinelBbr(2.5 * setting.cores())),
            new Peer("GoZero", setting -> new GoZero()),
            new Peer("FailsafeGo", setting -> new FailsafeGo()),
            new Peer("AltCpu", setting -> new AltCpu()));

    private Peers() {}

    /**
     * The facts of a run that a peer is told when it is made.
     *
     * @param seed for what it draws
     * @param timeoutNanos how long a client waits
     * @param cores how many processors the server starts with
     */
    record Setting(long seed, long timeoutNanos, int cores) {
        Setting {
            if (timeoutNanos < 1) {
                throw new IllegalArgumentException("timeoutNanos must be >= 1, was " + timeoutNanos);
            }
            if (cores < 1) {
                throw new IllegalArgumentException("cores must be >= 1, was " + cores);
            }
        }
    }
}
