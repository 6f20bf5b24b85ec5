package dev.weir.adaptive;

import java.util.Map;

/**
 * The judgement: turns what a window shows into the next limit. Pure of clock and threads: all it knows of time is in the
 * windows, and one thread at a time calls it. It may keep state between windows; one controller serves one limit.
 *
 * <p>No evidence must mean no change: a window without demand returns the limit as it is.
 */
public interface Controller {
    /**
     * The limit to put in force next. It is clamped to the bounds by whoever asks; the answer may be anything but is of use
     * only if positive.
     *
     * @param window what happened since the last answer
     * @param limit the limit this controller last answered, after clamping, or what was put in its place
     */
    long next(Window window, long limit);

    /**
     * Whether the window shows enough to be judged; else it grows. Asked every few milliseconds while there is traffic.
     * Unless told otherwise: 100 ms and so many latencies that their mean is known within about a tenth, or one second.
     */
    default boolean enough(Window window) {
        return SampleSize.suffices(window);
    }

    /** The limit to begin with, before the first window and after {@link #resume}; as it is, unless told otherwise. */
    default long start(long limit) {
        return limit;
    }

    /** The rule behind the last answer in a few words, its name first: {@code "aimd: 3 dropped"}. Called by any thread. */
    String why();

    /**
     * What is worth keeping over a restart, by name; the limit itself is kept by others. Not called while another method
     * but {@link #why} is.
     */
    default Map<String, Double> learned() {
        return Map.of();
    }

    /**
     * Takes up what an earlier process had learned, before the first window.
     *
     * @param trust how far that still holds, from 0 (not at all) to 1 (as if never away)
     */
    default void resume(Map<String, Double> learned, double trust) {}
}
