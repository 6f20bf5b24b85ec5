/** Checks that the packages of adaptive control share; for them alone. */
@NullMarked
package dev.weir.adaptive.internal;

import org.jspecify.annotations.NullMarked;
