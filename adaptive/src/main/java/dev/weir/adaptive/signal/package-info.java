/** What a process can read of its own load, and the watch that keeps broken sensors from doing harm. */
@NullMarked
package dev.weir.adaptive.signal;

import org.jspecify.annotations.NullMarked;
