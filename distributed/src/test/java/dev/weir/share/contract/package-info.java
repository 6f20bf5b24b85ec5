/** For authors of registries: what every registry does, and one in memory whose faults a test controls. */
@NullMarked
package dev.weir.share.contract;

import org.jspecify.annotations.NullMarked;
