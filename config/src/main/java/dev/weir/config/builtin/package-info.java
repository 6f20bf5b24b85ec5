/**
 * The factories of this library's own algorithms, disciplines, controllers and signals, with their names in documents. Not
 * exported.
 */
@NullMarked
package dev.weir.config.builtin;

import org.jspecify.annotations.NullMarked;
