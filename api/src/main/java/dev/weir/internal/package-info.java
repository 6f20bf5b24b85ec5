/** Helper classes that several modules of Weir share. Not part of the public API. */
@NullMarked
package dev.weir.internal;

import org.jspecify.annotations.NullMarked;
