/**
 * For owners: {@link dev.weir.engine.Limiters} makes a limiter, {@link dev.weir.engine.ManagedLimiter} changes, observes and
 * closes it. Whatever an observer, a strategy, a clock or the work of a caller throws loses no permit. An exhausted stack is
 * out of scope, as in {@code java.util.concurrent}: a {@code StackOverflowError} in the engine's own frames may lose one.
 */
@NullMarked
package dev.weir.engine;

import org.jspecify.annotations.NullMarked;
