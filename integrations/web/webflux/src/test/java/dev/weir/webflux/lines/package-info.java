/** Tests that each line of Spring must pass. */
@NullMarked
package dev.weir.webflux.lines;

import org.jspecify.annotations.NullMarked;
