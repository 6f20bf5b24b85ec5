/** Readings of the load of the process and its host, and the sensors that take them, for users. */
@NullMarked
package dev.weir.adaptive.signal;

import org.jspecify.annotations.NullMarked;
