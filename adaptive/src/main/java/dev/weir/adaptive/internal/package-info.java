/** For this module only: what several of its packages share. */
@NullMarked
package dev.weir.adaptive.internal;

import org.jspecify.annotations.NullMarked;
