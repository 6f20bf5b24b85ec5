/**
 * The algorithms. Each public record but {@link dev.weir.algorithms.CapacityPlan}, which only estimates, is a
 * specification: validated when it is built, compared by value, put in force by {@link dev.weir.engine.Limiters} or {@link
 * dev.weir.engine.ManagedLimiter#reconfigure}.
 *
 * <p>A number or a duration outside the range that is given with it is an {@link IllegalArgumentException} that names it,
 * the rule and the value; null, where it is not given a meaning, is a {@link NullPointerException}. Durations count in
 * whole nanoseconds. All public types are immutable and may be shared between threads; no method waits.
 */
@NullMarked
package dev.weir.algorithms;

import org.jspecify.annotations.NullMarked;
