/**
 * The orders of waiting, for those who choose or write one: {@link dev.weir.queue.discipline.Discipline} decides which waiter of
 * a queue is next, and each specification here describes one.
 */
@NullMarked
package dev.weir.queue.discipline;

import org.jspecify.annotations.NullMarked;
