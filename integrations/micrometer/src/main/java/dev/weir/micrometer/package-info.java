/** Meters of a limiter, for Micrometer. */
@NullMarked
package dev.weir.micrometer;

import org.jspecify.annotations.NullMarked;
