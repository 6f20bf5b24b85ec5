/** Commands to a store that may be away, for the modules of Weir itself. Not part of the public API. */
@NullMarked
package dev.weir.store.internal;

import org.jspecify.annotations.NullMarked;
