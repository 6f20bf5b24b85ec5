/** For the modules of Weir itself: what several of them need and no user sees. Not part of the public API. */
@NullMarked
package dev.weir.internal;

import org.jspecify.annotations.NullMarked;
