/** For the modules of Weir itself: commands to a store that may be away. Not part of the public API. */
@NullMarked
package dev.weir.distributed.internal;

import org.jspecify.annotations.NullMarked;
