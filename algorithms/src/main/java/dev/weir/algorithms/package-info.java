/**
 * The algorithms. Each public record is a specification: validated when it is built, compared by value, put in force by
 * {@link dev.weir.engine.Limiters} or {@link dev.weir.engine.ManagedLimiter#reconfigure}.
 */
@NullMarked
package dev.weir.algorithms;

import org.jspecify.annotations.NullMarked;
