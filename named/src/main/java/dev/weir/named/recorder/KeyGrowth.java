package dev.weir.named.recorder;

import dev.weir.keyed.HeavyHitters;
import dev.weir.keyed.HeavyHitters.Hitter;
import dev.weir.named.recorder.RecordedLoad.KeyShare;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** By how much the estimates of the heaviest keys of one limit grow. Used by one thread. */
final class KeyGrowth {
    /*
     * A key that was not among those of the last reading had at most the least of them then, and at most what it started from
     * is not its own: so it has grown by at least the rest.
     */
    private static final int READ = 40;

    static final int KEPT = 20;

    private @Nullable Map<Object, Long> granted;
    private @Nullable Map<Object, Long> refused;

    /** The keys that have grown most since the last call, with how much; none in the first call. */
    List<KeyShare> next(HeavyHitters keys) {
        List<Hitter> heaviest = keys.heaviest(READ);
        List<Hitter> mostRefused = keys.mostRefused(READ);
        Map<Object, Long> growth = new HashMap<>();
        add(growth, granted, heaviest);
        add(growth, refused, mostRefused);
        granted = estimates(heaviest);
        refused = estimates(mostRefused);
        return growth.entrySet().stream()
                .map(entry -> new KeyShare(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingLong(KeyShare::requests).reversed())
                .limit(KEPT)
                .toList();
    }

    private static void add(Map<Object, Long> growth, @Nullable Map<Object, Long> last, List<Hitter> now) {
        if (last == null) {
            return;
        }
        long least = last.size() < READ
                ? 0
                : last.values().stream().mapToLong(Long::longValue).min().orElse(0);
        for (Hitter each : now) {
            Long before = last.get(each.key());
            boolean isKnown = before != null && before <= each.estimate();
            // Less than before: it was set to 0, or the key has come again.
            long floor = before != null && !isKnown ? 0 : least;
            long from = before != null && isKnown ? before : Math.max(floor, each.error());
            if (each.estimate() > from) {
                growth.merge(each.key(), each.estimate() - from, Long::sum);
            }
        }
    }

    private static Map<Object, Long> estimates(List<Hitter> now) {
        Map<Object, Long> estimates = new HashMap<>();
        now.forEach(each -> estimates.put(each.key(), each.estimate()));
        return estimates;
    }
}
