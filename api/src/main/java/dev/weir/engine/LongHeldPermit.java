package dev.weir.engine;

import java.util.List;

/**
 * A tracked permit that is still held: the entry of a leak report.
 *
 * @param heldNanos for how many nanoseconds it has been held
 * @param thread the name of the thread that acquired it
 * @param acquiredAt the stack of that thread when it acquired the permit
 */
public record LongHeldPermit(long heldNanos, String thread, List<StackTraceElement> acquiredAt) {}
