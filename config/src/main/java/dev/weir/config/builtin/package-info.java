/**
 * The factories of this library's own algorithms, disciplines, controllers and signals, with their names in documents. Not
 * exported.
 */
package dev.weir.config.builtin;
