/** Limits by key, for users who limit each caller, tenant or URL: a bounded table of strategies behind one limiter. */
@NullMarked
package dev.weir.keyed;

import org.jspecify.annotations.NullMarked;
