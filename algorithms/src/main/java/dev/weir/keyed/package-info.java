/** Limits by key: a bounded table of strategies behind one limiter, for users who limit each caller, tenant or URL. */
@NullMarked
package dev.weir.keyed;

import org.jspecify.annotations.NullMarked;
