/**
 * The interfaces behind a limiter, for authors of algorithms, queues and observers. An algorithm is a
 * {@link dev.weir.spi.StrategySpec} and its {@link dev.weir.spi.Strategy}; a queue uses a limiter as a
 * {@link dev.weir.spi.Gate}; a {@link dev.weir.spi.LimiterObserver} is told what a limiter does.
 */
@NullMarked
package dev.weir.spi;

import org.jspecify.annotations.NullMarked;
