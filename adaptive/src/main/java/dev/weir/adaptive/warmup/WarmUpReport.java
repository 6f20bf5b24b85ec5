package dev.weir.adaptive.warmup;

import org.jspecify.annotations.Nullable;

/**
 * What became of a warm-up routine.
 *
 * @param name its name
 * @param outcome how it ended
 * @param nanos how long it ran, until given up on if it was; 0 if it never began
 * @param failure what it threw, if it failed
 */
public record WarmUpReport(
        String name, Outcome outcome, long nanos, @Nullable Throwable failure) {
    /** How a routine ended. */
    public enum Outcome {
        /** It came to its end. */
        DONE,
        /** It threw, or the executor would not run it. */
        FAILED,
        /** The time was over: it was interrupted, or never began. */
        TIMED_OUT
    }
}
