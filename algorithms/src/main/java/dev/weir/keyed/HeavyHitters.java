package dev.weir.keyed;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The keys that were granted most and the keys that were refused most, in fixed space. Create one, pass it to {@link
 * Keyed#watchedBy}, and read it at any time. Thread-safe; never blocks for longer than a few instructions.
 *
 * <p>The figures are estimates from one request in {@link #ONE_IN}: a key with more than 1/500 of all requests is found. They
 * count since the creation or the last {@link #reset}.
 */
public final class HeavyHitters {
    /** One request in this many is counted. */
    public static final int ONE_IN = 16;

    private static final int MAX_LABEL = 64;

    private final SpaceSaving granted = new SpaceSaving();
    private final SpaceSaving refused = new SpaceSaving();

    /** Creates an empty count. */
    public HeavyHitters() {}

    /**
     * One key with its estimated count.
     *
     * @param key the key as the table stores it: a digest if it is long
     * @param estimate granted permits, or refused requests; apart from sampling, too high by at most {@code error}
     * @param error the part of the estimate that may belong to other keys
     */
    public record Hitter(Object key, long estimate, long error) {
        /** The key in at most 64 printable ASCII characters; each other character is shown as "?". */
        public String label() {
            String whole = String.valueOf(key);
            StringBuilder label = new StringBuilder();
            for (int i = 0; i < Math.min(whole.length(), MAX_LABEL); i++) {
                char c = whole.charAt(i);
                label.append(c >= ' ' && c <= '~' ? c : '?');
            }
            return label.toString();
        }

        @Override
        public String toString() {
            return label() + "=" + estimate;
        }
    }

    /**
     * The keys that were granted the most permits, in descending order.
     *
     * @param max the largest number of keys to return
     * @throws IllegalArgumentException if {@code max} is negative
     */
    public List<Hitter> heaviest(int max) {
        return granted.top(max);
    }

    /**
     * The keys that were refused most often, in descending order.
     *
     * @param max the largest number of keys to return
     * @throws IllegalArgumentException if {@code max} is negative
     */
    public List<Hitter> mostRefused(int max) {
        return refused.top(max);
    }

    /** Sets all figures to 0. */
    public void reset() {
        granted.clear();
        refused.clear();
    }

    /** Its name, without figures: it stands in the texts of specifications. */
    @Override
    public String toString() {
        return "HeavyHitters";
    }

    void record(Object key, long permits, boolean isGranted) {
        if (ThreadLocalRandom.current().nextInt() >>> 28 == 0) {
            (isGranted ? granted : refused).add(key, isGranted ? permits : 1);
        }
    }

    /** The keys with the largest weights, in fixed space. Thread-safe; never blocks for longer than a few instructions. */
    private static final class SpaceSaving {
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
}
