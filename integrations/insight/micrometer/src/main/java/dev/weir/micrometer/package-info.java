/** Meters of limiters, queues, adaptive controls and registries, for Micrometer. */
@NullMarked
package dev.weir.micrometer;

import org.jspecify.annotations.NullMarked;
