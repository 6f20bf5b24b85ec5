package dev.weir.engine;

import java.util.List;

/**
 * A permit that is still out.
 *
 * @param heldNanos for how long
 * @param thread the name of the thread that acquired it
 * @param acquiredAt the stack it was acquired on
 */
public record LongHeldPermit(long heldNanos, String thread, List<StackTraceElement> acquiredAt) {}
