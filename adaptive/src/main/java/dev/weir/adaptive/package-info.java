/**
 * Adaptive limits: the control of one limit, the controller SPI, and the sampling windows and signals that a controller reads.
 */
@NullMarked
package dev.weir.adaptive;

import org.jspecify.annotations.NullMarked;
