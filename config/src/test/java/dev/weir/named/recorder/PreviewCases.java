package dev.weir.named.recorder;

import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Patch;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.recorder.Trace.Keys;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Twenty seeded loads with five changes of each of their limits. */
final class PreviewCases {
    private static final DocumentReader READER = DocumentReader.system();
    private static final int LONG = 300;
    private static final int SHORT = 60;
    private static final Keys NONE = (second, random) -> null;

    private PreviewCases() {}

    /** A limit with its requests, and the changes of it that are tried. */
    record Load(String name, String settings, Trace trace, List<String> changes) {
        LimitPlan plan() {
            return PreviewCases.plan(settings, null);
        }
    }

    static LimitPlan plan(String settings, @Nullable LimitPlan base) {
        return Patch.of(READER, "preview", settings).over("api", base);
    }

    static List<Load> all() {
        List<Load> all = new ArrayList<>();
        for (int seed = 1; seed <= 4; seed++) {
            all.add(steady(seed));
            all.add(wave(seed));
            all.add(bursts(seed));
        }
        for (int seed = 1; seed <= 3; seed++) {
            all.add(queue(seed));
            all.add(hotKey(seed));
        }
        for (int seed = 1; seed <= 2; seed++) {
            all.add(adaptive(seed));
        }
        return all;
    }

    static Load steady(int seed) {
        double rate = 100 + 15 * seed;
        Trace trace = Trace.drawn(seed, LONG, at -> rate, at -> 300, .2 * seed, NONE);
        return new Load("steady " + seed, "concurrency: 60", trace, concurrency(20, 28, 36, 44, 52));
    }

    private static Load wave(int seed) {
        Trace trace = Trace.drawn(
                10 + seed,
                LONG,
                at -> 120 * (1 + .6 * StrictMath.sin(2 * Math.PI * at / (12 * seed))),
                at -> 250 * (1 + .3 * StrictMath.sin(at / 3)),
                .5,
                NONE);
        return new Load("wave " + seed, "concurrency: 50", trace, concurrency(20, 30, 40, 48, 60));
    }

    static Load bursts(int seed) {
        Trace trace = Trace.drawn(
                20 + seed, LONG, at -> 80 + (at % (.5 * seed) < .05 ? 600 * seed + 400 : 0), at -> 60, .4, NONE);
        return new Load("bursts " + seed, "concurrency: 60", trace, concurrency(10, 20, 30, 45, 80));
    }

    static Load queue(int seed) {
        Trace trace = Trace.drawn(
                30 + seed, LONG, at -> 108 + 48 * StrictMath.sin(2 * Math.PI * at / (6 * seed)), at -> 300, .5, NONE);
        String settings = "concurrency: 40\nqueue:\n  capacity: 60\n  max-wait: 500ms\n";
        return new Load(
                "queue " + seed,
                settings,
                trace,
                List.of(
                        "concurrency: 24",
                        "concurrency: 32",
                        "{concurrency: 36, queue: {max-wait: 1s}}",
                        "queue: {capacity: 10}",
                        "queue: null"));
    }

    static Load hotKey(int seed) {
        Keys keys = (second, random) -> {
            boolean isHot = second % 10 < 2 * seed && random.nextInt(10) < 6;
            return isHot ? "hot" : "client-" + (int) (8 * random.nextDouble() * random.nextDouble());
        };
        Trace trace = Trace.drawn(40 + seed, SHORT, at -> 1500, at -> 5, .5, keys);
        String settings = "rate: 400/s\nburst: 200\nkey: client\nhot-keys: true\n";
        return new Load(
                "hot key " + seed,
                settings,
                trace,
                List.of("rate: 100/s", "rate: 200/s", "rate: 300/s", "rate: 600/s", "burst: 20"));
    }

    private static Load adaptive(int seed) {
        Trace trace = Trace.drawn(
                50 + seed, LONG, at -> 120 + 60 * StrictMath.sin(2 * Math.PI * at / (30 * seed)), at -> 300, .5, NONE);
        String settings = "concurrency: 30\nqueue: {capacity: 20, max-wait: 170ms}\nadaptive: {min: 10, max: 45}\n";
        return new Load(
                "adaptive " + seed,
                settings,
                trace,
                List.of(
                        "{concurrency: 25, adaptive: null}",
                        "{concurrency: 35, adaptive: null}",
                        "{concurrency: 45, adaptive: null}",
                        "adaptive: {max: 35}",
                        "adaptive: {min: 30, max: 31}"));
    }

    private static List<String> concurrency(int... limits) {
        List<String> changes = new ArrayList<>();
        for (int each : limits) {
            changes.add("concurrency: " + each);
        }
        return changes;
    }
}
