/** For owners: {@link dev.weir.engine.Limiters} makes a limiter, {@link dev.weir.engine.ManagedLimiter} runs it. */
@NullMarked
package dev.weir.engine;

import org.jspecify.annotations.NullMarked;
