/**
 * Warm-up of a new instance up to full load, for users: a ramp of the limit, routines to run first, and weights for a load
 * balancer.
 */
@NullMarked
package dev.weir.adaptive.warmup;

import org.jspecify.annotations.NullMarked;
