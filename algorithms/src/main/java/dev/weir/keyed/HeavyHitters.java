package dev.weir.keyed;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

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
}
