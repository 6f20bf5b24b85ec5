/**
 * Limits around the calls of a client, which learn from how the calls end: how many retries and hedges it may add, and whether it
 * asks an overloaded service at all. Each public record is a specification, put in force by {@link dev.weir.engine.Limiters}.
 *
 * <p>One limiter stands around every attempt. {@link dev.weir.Request#priority()} 0 is a first attempt, 1 and higher is one more
 * attempt for the same work. The outcome of each permit counts: {@code SUCCESS} if the service answered, {@code DROPPED} if it
 * refused the call or did not answer in time, {@code IGNORED} if the answer says nothing about load.
 *
 * <p>None of them limits what is in flight; they count it, so the limit that follows knows it. A limit that {@code setLimit} or a
 * controller could change they do not have: {@code setLimit} does nothing. A number outside the range given with it is an {@link
 * IllegalArgumentException} that names the argument, the rule and the value. All public types are immutable and thread-safe; no
 * method blocks.
 */
@NullMarked
package dev.weir.budget;

import org.jspecify.annotations.NullMarked;
