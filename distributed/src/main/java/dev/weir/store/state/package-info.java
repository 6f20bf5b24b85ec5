/** Limits, semaphores and registries over any store that replaces small values by compare-and-set. */
@NullMarked
package dev.weir.store.state;

import org.jspecify.annotations.NullMarked;
