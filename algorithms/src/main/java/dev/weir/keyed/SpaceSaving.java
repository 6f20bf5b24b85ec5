package dev.weir.keyed;

import dev.weir.keyed.HeavyHitters.Hitter;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys with the largest weights, in fixed space. Thread-safe; never blocks for longer than a few instructions. */
final class SpaceSaving {
    /*
     * Space-Saving (Metwally, Agrawal, El Abbadi: "Efficient computation of frequent and top-k elements in data
     * streams", ICDT 2005), set-associative: a key belongs to one set of WAYS counters. If it has no counter there it replaces
     * the key with the lowest count and starts from that count. So a count is too high by at most the count it started from,
     * and no key that is heavy within its set is missed. A secret seed selects the set of a key, so no client can choose a
     * set. Keys with the same hash code can fill one set; that makes these figures wrong, and nothing else.
     */
    private static final int SETS = 128;
    private static final int WAYS = 8;
    private static final long MAX_COUNT = Long.MAX_VALUE / HeavyHitters.ONE_IN;

    private final int seed = new SecureRandom().nextInt();
    private final Object[] locks = new Object[SETS];
    private final @Nullable Object[] keys = new Object[SETS * WAYS];
    private final long[] counts = new long[SETS * WAYS];
    private final long[] errors = new long[SETS * WAYS];

    SpaceSaving() {
        Arrays.setAll(locks, i -> new Object());
    }

    void add(Object key, long weight) {
        int set = (((key.hashCode() ^ seed) * 0x9E3779B9) >>> 16) & (SETS - 1);
        synchronized (locks[set]) {
            int lowest = set * WAYS;
            for (int i = set * WAYS; i < (set + 1) * WAYS; i++) {
                if (key.equals(keys[i])) {
                    counts[i] = sum(counts[i], weight);
                    return;
                }
                lowest = counts[i] < counts[lowest] ? i : lowest;
            }
            keys[lowest] = key;
            errors[lowest] = counts[lowest];
            counts[lowest] = sum(counts[lowest], weight);
        }
    }

    private static long sum(long count, long weight) {
        return Math.min(MAX_COUNT, count + Math.min(weight, MAX_COUNT));
    }

    List<Hitter> top(int most) {
        List<Hitter> all = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
            synchronized (locks[i / WAYS]) {
                Object key = keys[i];
                if (key != null) {
                    all.add(new Hitter(key, counts[i] * HeavyHitters.ONE_IN, errors[i] * HeavyHitters.ONE_IN));
                }
            }
        }
        all.sort(Comparator.comparingLong(Hitter::estimate).reversed());
        return List.copyOf(all.subList(0, Math.min(most, all.size())));
    }

    void clear() {
        for (int i = 0; i < keys.length; i++) {
            synchronized (locks[i / WAYS]) {
                keys[i] = null;
                counts[i] = 0;
                errors[i] = 0;
            }
        }
    }
}
