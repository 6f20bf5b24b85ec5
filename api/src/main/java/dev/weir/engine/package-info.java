/**
 * The factory of limiters, {@link dev.weir.engine.Limiters}, and the view that the owner of one has of it,
 * {@link dev.weir.engine.ManagedLimiter}. Whatever an observer, a strategy, a clock or the work of a caller throws
 * loses no permit. An exhausted stack is out of scope, as in {@code java.util.concurrent}: a {@code StackOverflowError}
 * in the engine's own frames may lose one.
 */
@NullMarked
package dev.weir.engine;

import org.jspecify.annotations.NullMarked;
