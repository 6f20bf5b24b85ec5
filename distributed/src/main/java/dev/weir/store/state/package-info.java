/** Limits over any store that replaces small values by compare-and-set, and their arithmetic. */
@NullMarked
package dev.weir.store.state;

import org.jspecify.annotations.NullMarked;
