package dev.weir.adaptive;

import java.util.Map;
import java.util.Set;

/**
 * An algorithm that calculates the next limit from a sampling window. It reads no clock: the time is in the windows. One thread
 * at a time calls it, and each call sees what the last one wrote. It may have state; one controller serves one limit.
 *
 * <p>A window without demand and without losses is no evidence: return the limit unchanged. What a method throws is counted,
 * and the limit stays.
 */
public interface Controller {
    /**
     * The next limit, at least 1. The caller clamps it to the bounds and their step.
     *
     * @param window what happened since the last call
     * @param limit the limit that this controller last returned, after clamping, or the one that something else has set since
     */
    long next(Window window, long limit);

    /**
     * True if the window shows enough for {@link #next}; if not, it grows. Called every few milliseconds while there is
     * traffic. Default: after 100 ms if there are enough latencies to know their mean within about a tenth, else after one
     * second.
     */
    default boolean enough(Window window) {
        return window.isEnough();
    }

    /** The first limit, called before the first window and after {@link #restore}. Default: unchanged. */
    default long start(long limit) {
        return limit;
    }

    /**
     * The rule behind the last limit in a few words, the name of the controller first: {@code "aimd: 3 lost"}. Any thread may
     * call it at any time. Not null.
     */
    String why();

    /** The names of the signals without which it cannot find a limit. Always the same. Default: none. */
    default Set<String> signals() {
        return Set.of();
    }

    /**
     * The values to save over a restart, by name, without the limit, which is saved anyway. Not called during another method except
     * {@link #why}. Default: nothing.
     */
    default Map<String, Double> learned() {
        return Map.of();
    }

    /**
     * Restores what an earlier process had learned, before the first window. The values may be anything: check them. Default:
     * does nothing.
     *
     * @param trust how far it still holds, from 0 (not at all) to 1 (as if there had been no restart)
     */
    default void restore(Map<String, Double> learned, double trust) {}
}
