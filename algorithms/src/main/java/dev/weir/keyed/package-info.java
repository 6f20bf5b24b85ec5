/** Limits by key: a bounded map of strategies behind one limiter. */
@NullMarked
package dev.weir.keyed;

import org.jspecify.annotations.NullMarked;
