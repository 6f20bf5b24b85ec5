package dev.weir.keyed;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Which keys were granted most and which were refused most, in a fixed space. The owner makes one, gives it to {@link
 * Keyed#watchedBy} and reads it. Thread-safe; never blocks for longer than a few instructions.
 *
 * <p>Figures are estimates from one request in {@link #ONE_IN}: a key with more than 1/500 of all requests is found. They
 * count since the beginning or the last {@link #reset}.
 */
public final class HeavyHitters {
    /*
     * Space-Saving (Metwally, Agrawal, El Abbadi: "Efficient computation of frequent and top-k elements in data
     * streams", ICDT 2005), set-associative: a key falls on one set of WAYS counters, and if it has none there it takes
     * over the lowest, starting from its count. So a count is too high by at most what it took over, and no key that is
     * heavy within its set is missed. The set of a key is drawn with a secret, so nobody can aim at a set; keys with
     * one hash code can crowd one out, which harms these figures and nothing else.
     */

    /** One request in so many is looked at. */
    public static final int ONE_IN = 16;

    private static final int SETS = 128;
    private static final int WAYS = 8;
    private static final int SHOWN = 64;

    private final int seed = new SecureRandom().nextInt();
    private final Counters granted = new Counters();
    private final Counters refused = new Counters();

    /** Nothing seen yet. */
    public HeavyHitters() {}

    /**
     * One key's figure.
     *
     * @param key the key as the table keeps it: of a long one, a digest
     * @param estimate granted permits, or refused requests; too high by at most {@code error}, sampling apart
     * @param error how much of the estimate may belong to other keys
     */
    public record Hitter(Object key, long estimate, long error) {
        /** The key on one line of at most 64 printable ASCII characters, whatever the client sent; others as "?". */
        public String label() {
            String whole = String.valueOf(key);
            StringBuilder label = new StringBuilder();
            for (int i = 0; i < Math.min(whole.length(), SHOWN); i++) {
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

    /** The keys that were granted the most permits, the heaviest first, at most so many. */
    public List<Hitter> heaviest(int most) {
        return granted.top(most);
    }

    /** The keys that were refused most often, at most so many. */
    public List<Hitter> mostRefused(int most) {
        return refused.top(most);
    }

    /** Begins anew. */
    public void reset() {
        granted.clear();
        refused.clear();
    }

    void saw(Object key, long permits, boolean isGranted) {
        if (ThreadLocalRandom.current().nextInt() >>> 28 == 0) {
            int mixed = (key.hashCode() ^ seed) * 0x9E3779B9;
            (isGranted ? granted : refused).add((mixed >>> 16) & (SETS - 1), key, isGranted ? permits : 1);
        }
    }

    private static final class Counters {
        private final Object[] locks = new Object[SETS];
        private final @Nullable Object[] keys = new Object[SETS * WAYS];
        private final long[] counts = new long[SETS * WAYS];
        private final long[] takenOver = new long[SETS * WAYS];

        Counters() {
            java.util.Arrays.setAll(locks, i -> new Object());
        }

        void add(int set, Object key, long weight) {
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
                takenOver[lowest] = counts[lowest];
                counts[lowest] = sum(counts[lowest], weight);
            }
        }

        private static long sum(long count, long weight) {
            return Math.min(Long.MAX_VALUE / ONE_IN, count + Math.min(weight, Long.MAX_VALUE / ONE_IN));
        }

        List<Hitter> top(int most) {
            List<Hitter> all = new ArrayList<>();
            for (int i = 0; i < keys.length; i++) {
                synchronized (locks[i / WAYS]) {
                    Object key = keys[i];
                    if (key != null) {
                        all.add(new Hitter(key, counts[i] * ONE_IN, takenOver[i] * ONE_IN));
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
                    takenOver[i] = 0;
                }
            }
        }
    }
}
