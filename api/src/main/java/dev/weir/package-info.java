/**
 * The interfaces of admission control, for callers. A {@link dev.weir.Limiter} answers a {@link dev.weir.Request} with
 * a {@link dev.weir.Permit} or a {@link dev.weir.Rejection}.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;
