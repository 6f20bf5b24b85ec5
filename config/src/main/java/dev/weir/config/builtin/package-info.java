/** The names that this library's own algorithms, disciplines, controllers and signals have in documents. For nobody else. */
@NullMarked
package dev.weir.config.builtin;

import org.jspecify.annotations.NullMarked;
