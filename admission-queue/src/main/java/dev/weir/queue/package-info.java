/**
 * Patience. {@link dev.weir.queue.AdmissionQueue} stands before a limiter and lets those wait who may; a
 * {@link dev.weir.queue.Discipline} says who is next; the executors bound how much of what they are given runs at once.
 */
@NullMarked
package dev.weir.queue;

import org.jspecify.annotations.NullMarked;
