/**
 * For those who make requests wait: an {@link dev.weir.queue.AdmissionQueue} before a limiter holds requests until they are
 * granted or time out, in the order of its {@linkplain dev.weir.queue.discipline discipline}.
 */
@NullMarked
package dev.weir.queue;

import org.jspecify.annotations.NullMarked;
