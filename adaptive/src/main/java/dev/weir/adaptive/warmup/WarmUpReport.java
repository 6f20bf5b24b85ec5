package dev.weir.adaptive.warmup;

import org.jspecify.annotations.Nullable;

/**
 * The result of one warm-up routine.
 *
 * @param name the name of the routine
 * @param result how it ended
 * @param nanos how long it ran, in nanoseconds, up to the timeout if there was one; 0 if it never began
 * @param failure the exception, if it failed
 */
public record WarmUpReport(
        String name, Result result, long nanos, @Nullable Throwable failure) {
    /** The end of a routine. */
    public enum Result {
        /** It returned. */
        DONE,
        /** It threw, or the executor refused it. */
        FAILED,
        /** Not in time: it was interrupted, or never began. */
        TIMED_OUT
    }
}
