/** For authors of stores: what every store does. */
@NullMarked
package dev.weir.store.contract;

import org.jspecify.annotations.NullMarked;
