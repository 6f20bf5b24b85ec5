/**
 * The algorithms, for users who choose a limit. Each public record except {@link dev.weir.algorithms.CapacityPlan}, which
 * only estimates, is a specification: validated when it is created, compared by value, put in force by {@link
 * dev.weir.engine.Limiters} or {@link dev.weir.engine.ManagedLimiter#reconfigure}.
 *
 * <p>A number or a duration outside the range given with it is an {@link IllegalArgumentException} that names the argument,
 * the rule and the value. A null argument is a {@link NullPointerException} unless null is given a meaning. Durations count
 * in whole nanoseconds. All public types are immutable and thread-safe; no method blocks.
 */
@NullMarked
package dev.weir.algorithms;

import org.jspecify.annotations.NullMarked;
