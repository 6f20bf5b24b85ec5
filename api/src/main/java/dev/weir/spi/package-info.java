/** What extenders implement: an algorithm, its specification, a listener; and the gate a queue stands before. */
@NullMarked
package dev.weir.spi;

import org.jspecify.annotations.NullMarked;
