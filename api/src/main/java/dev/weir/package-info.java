/** What callers see: ask a {@link dev.weir.Limiter} and be given a permit or a rejection. */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;
