/**
 * The wait queue before a limiter: an {@link dev.weir.queue.AdmissionQueue} holds requests until they are granted or time out, in
 * the order of its {@linkplain dev.weir.queue.discipline discipline}.
 */
@NullMarked
package dev.weir.queue;

import org.jspecify.annotations.NullMarked;
